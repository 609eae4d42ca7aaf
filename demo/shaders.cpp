#include "shaders.hpp"

namespace twang::demo::shaders {
namespace {

const std::string version = "#version 330 core\n";

// The same for everything in a frame.
const std::string frame = R"(
layout(std140) uniform Frame {
    mat4 eye_from_world;
    mat4 light_from_world;
    vec4 eye;      // w: height of the ground
    vec4 to_light; // w: radius of a soft shadow's edge in the shadow map
    vec4 middle;   // of the scene; w: how far the ground reaches
};
)";

// The projection from the camera or, for the shadow map, from the light.
const std::string casting = R"(
uniform bool casting;
vec4 project(vec3 p) { return (casting ? light_from_world : eye_from_world) * vec4(p, 1.0); }
)";

const std::string backdrop_colour = R"(
// Darker towards the edges of the picture; the floor fades into it.
vec3 backdrop(vec2 seen) {
    vec2 from_middle = seen - vec2(0.0, 0.12);
    float glow = exp(-0.55 * dot(from_middle, from_middle));
    return mix(vec3(0.33, 0.38, 0.46), vec3(0.86, 0.87, 0.87), glow);
}
vec3 developed(vec3 light) { // soft shoulder, then sRGB
    vec3 c = light * (1.0 + light * 0.10) / (1.0 + light * 0.28);
    return pow(clamp(c, 0.0, 1.0), vec3(1.0 / 2.2));
}
)";

const std::string lighting = R"(
uniform sampler2DShadow shadow_map;

const vec2 around[8] = vec2[8](vec2(-0.94, -0.18), vec2(-0.44, 0.78), vec2(0.18, -0.52),
                               vec2(0.78, 0.52), vec2(0.92, -0.36), vec2(-0.28, 0.16),
                               vec2(-0.34, -0.94), vec2(0.36, 0.26));

// How much of the sun a point sees: 0 to 1.
float sunlit(vec3 p, vec3 normal) {
    vec4 q = light_from_world * vec4(p + 0.012 * middle.w * 0.1 * normal, 1.0);
    vec3 s = 0.5 * q.xyz + 0.5;
    if (any(lessThan(s, vec3(0.0))) || any(greaterThan(s, vec3(1.0)))) return 1.0;
    float turn = 6.2832 * fract(52.98 * fract(dot(gl_FragCoord.xy, vec2(0.0671, 0.00584))));
    mat2 turned = mat2(cos(turn), sin(turn), -sin(turn), cos(turn));
    float sum = 0.0;
    for (int i = 0; i < 8; ++i) {
        sum += texture(shadow_map, vec3(s.xy + to_light.w * (turned * around[i]), s.z - 0.0015));
    }
    return sum / 8.0;
}

// A warm sun, a cool sky above and light thrown back by the floor.
vec3 lit(vec3 colour, vec3 p, vec3 n, float gloss) {
    vec3 to_eye = normalize(eye.xyz - p);
    float facing = dot(n, to_light.xyz);
    float sun = max(0.0, (facing + 0.25) / 1.25); // wraps a little: cloth and rubber glow
    sun *= sun > 0.0 ? sunlit(p, n) : 0.0;
    vec3 sky = mix(vec3(0.30, 0.27, 0.25), vec3(0.52, 0.58, 0.68), 0.5 + 0.5 * n.y);
    // Less sky and floor light reaches what is close to the floor.
    float open = mix(0.62, 1.0, smoothstep(0.0, 0.25 * middle.w * 0.1 + 0.1, p.y - eye.w));
    vec3 sum = colour * (sky * open + vec3(1.18, 1.10, 0.98) * sun);
    vec3 halfway = normalize(to_light.xyz + to_eye);
    float shine = pow(max(dot(n, halfway), 0.0), mix(12.0, 90.0, gloss));
    float rim = pow(1.0 - max(dot(n, to_eye), 0.0), 4.0);
    return sum + gloss * (0.55 * shine * sun + 0.25 * rim * sky);
}
)";

} // namespace

std::string skin_vertex() {
    return version + frame + casting + R"(
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 pattern;
uniform vec3 offset;
out vec3 at;
out vec3 up;
out vec2 thread;
void main() {
    at = position + offset;
    up = normal;
    thread = pattern;
    gl_Position = project(at);
}
)";
}

std::string rod_vertex() {
    return version + frame + casting + R"(
layout(location = 0) in vec3 corner; // x, y on the unit circle, z along the rod
layout(location = 1) in vec3 from;
layout(location = 2) in vec3 to;
layout(location = 3) in vec3 tint;
uniform float radius;
out vec3 at;
out vec3 up;
flat out vec3 colour;
void main() {
    vec3 along = to - from;
    along = dot(along, along) > 0.0 ? normalize(along) : vec3(0.0, 1.0, 0.0);
    vec3 side = normalize(cross(along, abs(along.y) < 0.9 ? vec3(0, 1, 0) : vec3(1, 0, 0)));
    up = corner.x * side + corner.y * cross(along, side);
    at = mix(from, to, corner.z) + radius * up;
    colour = tint;
    gl_Position = project(at);
    if (radius == 0.0) gl_Position.z -= 0.0004 * gl_Position.w; // lines lie on the skin
}
)";
}

std::string ball_vertex() {
    return version + frame + casting + R"(
layout(location = 0) in vec3 corner; // on the unit sphere
layout(location = 1) in vec4 place;  // centre and radius
layout(location = 2) in vec3 tint;
out vec3 at;
out vec3 up;
flat out vec3 colour;
void main() {
    up = corner;
    at = place.xyz + place.w * corner;
    colour = tint;
    gl_Position = project(at);
}
)";
}

std::string ground_vertex() {
    return version + frame + R"(
out vec3 at;
out vec2 seen;
void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    at = vec3(middle.x + middle.w * corner.x, eye.w, middle.z + middle.w * corner.y);
    gl_Position = eye_from_world * vec4(at, 1.0);
}
)";
}

std::string backdrop_vertex() {
    return version + R"(
out vec2 seen;
void main() {
    seen = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0;
    gl_Position = vec4(seen, 1.0, 1.0);
}
)";
}

std::string skin_fragment() {
    return version + frame + backdrop_colour + lighting + R"(
in vec3 at;
in vec3 up;
in vec2 thread;
uniform vec3 front;
uniform vec3 back;
uniform float gloss;
uniform bool woven;
uniform sampler2D weave;
out vec4 result;
void main() {
    vec3 n = normalize(up);
    bool behind = dot(n, eye.xyz - at) < 0.0;
    vec3 colour = behind ? back : front;
    if (woven) colour *= texture(weave, thread).rgb;
    result = vec4(developed(lit(colour, at, behind ? -n : n, gloss)), 1.0);
}
)";
}

std::string plain_fragment() {
    return version + frame + backdrop_colour + lighting + R"(
in vec3 at;
in vec3 up;
flat in vec3 colour;
out vec4 result;
void main() { result = vec4(developed(lit(colour, at, normalize(up), 0.5)), 1.0); }
)";
}

std::string line_fragment() {
    return version + R"(
flat in vec3 colour;
out vec4 result;
void main() { result = vec4(pow(colour, vec3(1.0 / 2.2)), 1.0); }
)";
}

std::string ground_fragment() {
    return version + frame + backdrop_colour + lighting + R"(
in vec3 at;
uniform vec2 pixels;
out vec4 result;
void main() {
    vec3 behind = backdrop(2.0 * gl_FragCoord.xy / pixels - 1.0);
    float away = length(at.xz - middle.xz) / middle.w;
    float there = eye.y > eye.w ? 1.0 - smoothstep(0.15, 0.85, away) : 0.0;
    vec3 floor_colour = behind;
    if (there > 0.0) {
        vec2 cell = abs(fract(at.xz / 0.5 + 0.5) - 0.5) * 0.5; // metres to the nearest line
        vec2 width = fwidth(at.xz);
        vec2 line = 1.0 - smoothstep(vec2(0.0), 1.5 * width + 0.002, cell);
        float lines = max(line.x, line.y) * (1.0 - smoothstep(0.02, 0.08, max(width.x, width.y)));
        float sun = sunlit(at, vec3(0.0, 1.0, 0.0));
        vec3 shade = mix(vec3(0.50, 0.54, 0.62), vec3(1.0), sun);
        floor_colour = behind * shade * (1.0 - 0.07 * lines);
    }
    result = vec4(developed(mix(behind, floor_colour, there)), 1.0);
}
)";
}

std::string backdrop_fragment() {
    return version + backdrop_colour + R"(
in vec2 seen;
out vec4 result;
void main() { result = vec4(developed(backdrop(seen)), 1.0); }
)";
}

std::string depth_fragment() { return version + "void main() {}\n"; }

} // namespace twang::demo::shaders
