#include "view/shaders.hpp"

namespace twang::demo::shaders {
namespace {

const std::string version = "#version 330 core\n";

// The uniforms that all draw calls of a frame share.
const std::string frame = R"(
layout(std140) uniform Frame {
    mat4 eye_from_world;
    mat4 light_from_world;
    vec4 eye;      // w: height of the ground
    vec4 to_light; // w: radius of a soft shadow's edge in the shadow map
    vec4 shaded;   // x, z of the middle of the floor in shadow, and half its side
    vec4 middle;   // x, z of the scene; y: the soft edge in metres; w: how far the ground reaches
};
)";

// Projects to the camera or, for the shadow map, to the light.
const std::string casting = R"(
uniform bool casting;
vec4 project(vec3 p) { return (casting ? light_from_world : eye_from_world) * vec4(p, 1.0); }
)";

const std::string backdrop_colour = R"(
// Darker towards the edges of the picture; the floor fades into it.
vec3 backdrop(vec2 seen) {
    vec2 from_middle = seen - vec2(0.0, 0.12);
    float glow = 1.0 / (1.0 + 0.62 * dot(from_middle, from_middle));
    return mix(vec3(0.09, 0.13, 0.20), vec3(0.80, 0.82, 0.83), glow);
}
// From light to pixels: a soft shoulder, then a gamma of 2, which is cheap where there is no
// graphics card; and a little noise against bands.
vec3 developed(vec3 light) {
    vec3 c = light * (1.0 + light * 0.10) / (1.0 + light * 0.28);
    float noise = fract(52.98 * fract(dot(gl_FragCoord.xy, vec2(0.0671, 0.00584))));
    return sqrt(clamp(c, 0.0, 1.0)) + (noise - 0.5) / 255.0;
}
)";

const std::string lighting = R"(
uniform sampler2DShadow shadow_map;

const vec2 around[6] = vec2[6](vec2(-0.94, -0.18), vec2(-0.30, 0.66), vec2(0.18, -0.42),
                               vec2(0.72, 0.52), vec2(0.86, -0.46), vec2(-0.34, -0.88));

// How much of the sun a point sees: 0 to 1. Looked up a little above the surface, so that it does
// not shade itself.
float sunlit(vec3 p, vec3 normal) {
    vec3 s = 0.5 * (light_from_world * vec4(p + 1.2 * middle.y * normal, 1.0)).xyz + 0.5;
    if (any(lessThan(s, vec3(0.0))) || any(greaterThan(s, vec3(1.0)))) return 1.0;
    float noise = fract(52.98 * fract(dot(gl_FragCoord.xy, vec2(0.0671, 0.00584))));
    vec2 turn = normalize(vec2(noise - 0.5, abs(fract(7.3 * noise) - 0.5)));
    mat2 turned = to_light.w * mat2(turn.x, turn.y, -turn.y, turn.x);
    float sum = 0.0;
    for (int i = 0; i < 6; ++i) {
        sum += texture(shadow_map, vec3(s.xy + turned * around[i], s.z - 0.001));
    }
    return sum / 6.0;
}

// A warm sun, a cool sky above and light thrown back by the floor; some goes through thin things.
vec3 lit(vec3 colour, vec3 p, vec3 n, float gloss, float thin) {
    vec3 to_eye = normalize(eye.xyz - p);
    float facing = dot(n, to_light.xyz);
    float sun = facing > 0.0 ? facing * sunlit(p, n) : -thin * facing;
    vec3 sky = mix(vec3(0.20, 0.18, 0.17), vec3(0.34, 0.39, 0.47), 0.5 + 0.5 * n.y);
    float open = mix(0.5, 1.0, clamp(4.0 * (p.y - eye.w), 0.0, 1.0)); // darker close to the floor
    vec3 sum = colour * (sky * open + vec3(1.12, 1.04, 0.92) * sun);
    vec3 halfway = normalize(to_light.xyz + to_eye);
    float shine = pow(max(dot(n, halfway), 0.0), 40.0);
    float rim = 1.0 - max(dot(n, to_eye), 0.0);
    return sum + gloss * (0.4 * shine * sun + 0.3 * rim * rim * rim * rim * sky);
}
)";

} // namespace

std::string skin_vertex() {
    return version + frame + casting + R"(
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 pattern;
uniform mat3 turn;
uniform vec3 offset;
out vec3 at;
out vec3 up;
out vec2 thread;
void main() {
    at = turn * position + offset;
    up = turn * normal;
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
// A strip around a square hole, then the square: corners of the hole and of the whole in turn.
out vec3 at;
void main() {
    int id = gl_VertexID < 10 ? gl_VertexID : 2 * (gl_VertexID - 10);
    int side = (id / 2) % 4;
    if (gl_VertexID == 12) side = 3; // the square is a strip of its own
    if (gl_VertexID == 13) side = 2;
    bool inner = id % 2 == 0;
    vec2 corner = vec2(side == 1 || side == 2 ? 1.0 : -1.0, side > 1 ? 1.0 : -1.0);
    vec2 place = inner ? shaded.xy + shaded.z * corner : middle.xz + middle.w * corner;
    at = vec3(place.x, eye.w, place.y);
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
uniform float thin; // how much light goes through; 0: a solid, seen from outside only
uniform bool woven;
uniform sampler2D weave;
out vec4 result;
void main() {
    vec3 n = normalize(up);
    bool behind = thin > 0.0 && dot(n, eye.xyz - at) < 0.0;
    vec3 colour = behind ? back : front;
    if (woven) colour *= texture(weave, thread).rgb;
    result = vec4(developed(lit(colour, at, behind ? -n : n, gloss, thin)), 1.0);
}
)";
}

std::string coloured_fragment() {
    return version + frame + backdrop_colour + lighting + R"(
in vec3 at;
in vec3 up;
flat in vec3 colour;
out vec4 result;
void main() { result = vec4(developed(lit(colour, at, normalize(up), 0.5, 0.0)), 1.0); }
)";
}

std::string line_fragment() {
    return version + R"(
flat in vec3 colour;
out vec4 result;
void main() { result = vec4(sqrt(colour), 1.0); }
)";
}

std::string ground_fragment(bool shadowed) {
    return version + frame + backdrop_colour + lighting + R"(
in vec3 at;
uniform vec2 pixels;
out vec4 result;
void main() {
    vec3 behind = backdrop(2.0 * gl_FragCoord.xy / pixels - 1.0);
    float away = length(at.xz - middle.xz) / middle.w;
    float there = eye.y > eye.w ? 1.0 - smoothstep(0.15, 0.85, away) : 0.0;
    vec2 cell = abs(fract(2.0 * at.xz + 0.5) - 0.5) * 0.5; // metres to the nearest line
    vec2 width = fwidth(at.xz);
    vec2 line = 1.0 - smoothstep(vec2(0.0), 1.5 * width + 0.002, cell);
    float lines = max(line.x, line.y) * (1.0 - smoothstep(0.02, 0.08, max(width.x, width.y)));
    float sun = )" +
           (shadowed ? "sunlit(at, vec3(0.0, 1.0, 0.0))" : "1.0") + R"(;
    vec3 shade = mix(vec3(0.36, 0.40, 0.50), vec3(1.0), sun) * (1.0 - 0.08 * lines);
    result = vec4(developed(behind * mix(vec3(1.0), shade, there)), 1.0);
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
