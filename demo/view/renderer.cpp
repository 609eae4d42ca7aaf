#include "view/renderer.hpp"

#include <algorithm>
#include <numbers>
#include <string_view>

#include "view/collider_shapes.hpp"
#include "view/shaders.hpp"
#include "view/weave.hpp"

namespace twang::demo {
namespace {

constexpr GLsizei shadow_side = 1024;
constexpr Point to_light = {0.42f, 0.80f, 0.43f}; // about unit length
constexpr GLuint frame_binding = 0;

// The uniform block Frame of the shaders, in std140 layout.
struct Frame {
    Matrix eye_from_world, light_from_world;
    float eye[4], to_light[4], shaded[4], middle[4];
};

template <class T>
void fill(GLenum target, const GlBuffer& buffer, const T* data, std::size_t count, GLenum usage) {
    glBindBuffer(target, buffer.get());
    glBufferData(target, static_cast<GLsizeiptr>(count * sizeof(T)), data, usage);
}

void set_attribute(GLuint index, int floats, std::size_t stride, std::size_t offset,
                   GLuint divisor) {
    glEnableVertexAttribArray(index);
    glVertexAttribPointer(index, floats, GL_FLOAT, GL_FALSE, static_cast<GLsizei>(stride),
                          reinterpret_cast<const void*>(offset));
    glVertexAttribDivisor(index, divisor);
}

GLint uniform_at(const GlProgram& program, const char* name) {
    return glGetUniformLocation(program.get(), name);
}

void set_colour(GLint at, Colour colour) { glUniform3f(at, colour.red, colour.green, colour.blue); }

// Makes a cylinder of radius 1 along z from 0 to 1, without caps.
SolidShape make_cylinder(int sides) {
    SolidShape cylinder;
    for (int i = 0; i <= sides; ++i) {
        const float turn = 2 * std::numbers::pi_v<float> * i / sides;
        for (const float z : {0.0f, 1.0f}) {
            cylinder.positions.insert(cylinder.positions.end(),
                                      {std::cos(turn), std::sin(turn), z});
        }
        if (i == sides) break;
        const auto a = static_cast<std::uint32_t>(2 * i);
        cylinder.triangles.insert(cylinder.triangles.end(), {a, a + 2, a + 3, a, a + 3, a + 1});
    }
    return cylinder;
}

} // namespace

Renderer::Renderer() : frame_(make_buffer()), empty_array_(make_vertex_array()) {
    make_programs();
    make_meshes();
    make_weave_texture();
    make_shadow_map();
}

bool Renderer::is_software() const {
    const auto* const name = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
    const std::string_view renderer = name ? name : "";
    return renderer.find("llvmpipe") != renderer.npos || renderer.find("softpipe") != renderer.npos;
}

void Renderer::make_programs() {
    using namespace shaders;
    const auto make = [&](const std::string& vertex, const std::string& fragment) {
        GlProgram program = make_program(vertex, fragment, complaint_);
        if (!program.get()) return program;
        const GLuint block = glGetUniformBlockIndex(program.get(), "Frame");
        if (block != GL_INVALID_INDEX) glUniformBlockBinding(program.get(), block, frame_binding);
        glUseProgram(program.get());
        glUniform1i(uniform_at(program, "shadow_map"), 0);
        glUniform1i(uniform_at(program, "weave"), 1);
        return program;
    };
    skin_ = make(skin_vertex(), skin_fragment());
    rod_ = make(rod_vertex(), coloured_fragment());
    ball_ = make(ball_vertex(), coloured_fragment());
    line_ = make(rod_vertex(), line_fragment());
    ground_ = make(ground_vertex(), ground_fragment(false));
    shaded_ground_ = make(ground_vertex(), ground_fragment(true));
    backdrop_ = make(backdrop_vertex(), backdrop_fragment());
    skin_depth_ = make(skin_vertex(), depth_fragment());
    rod_depth_ = make(rod_vertex(), depth_fragment());
    ball_depth_ = make(ball_vertex(), depth_fragment());
    glBindBuffer(GL_UNIFORM_BUFFER, frame_.get());
    glBufferData(GL_UNIFORM_BUFFER, sizeof(Frame), nullptr, GL_DYNAMIC_DRAW);
    glBindBufferBase(GL_UNIFORM_BUFFER, frame_binding, frame_.get());
}

void Renderer::make_meshes() {
    const auto make = [](Instances& set, const SolidShape& shape) {
        set.array = make_vertex_array();
        set.corners = make_buffer();
        set.triangles = make_buffer();
        set.each = make_buffer();
        set.indices = static_cast<GLsizei>(shape.triangles.size());
        glBindVertexArray(set.array.get());
        fill(GL_ARRAY_BUFFER, set.corners, shape.positions.data(), shape.positions.size(),
             GL_STATIC_DRAW);
        set_attribute(0, 3, 3 * sizeof(float), 0, 0);
        fill(GL_ELEMENT_ARRAY_BUFFER, set.triangles, shape.triangles.data(), shape.triangles.size(),
             GL_STATIC_DRAW);
        glBindBuffer(GL_ARRAY_BUFFER, set.each.get());
    };
    make(balls_, make_unit_ball(14, 10));
    set_attribute(1, 4, sizeof(Ball), offsetof(Ball, centre), 1);
    set_attribute(2, 3, sizeof(Ball), offsetof(Ball, colour), 1);
    SolidShape segment;
    segment.positions = {0, 0, 0, 0, 0, 1};
    segment.triangles = {0, 1};
    SolidShape dot;
    dot.positions = {0, 0, 0};
    dot.triangles = {0};
    for (const auto& [set, shape] :
         {std::pair{&rods_, make_cylinder(10)}, {&lines_, segment}, {&dots_, dot}}) {
        make(*set, shape);
        set_attribute(1, 3, sizeof(Rod), offsetof(Rod, from), 1);
        set_attribute(2, 3, sizeof(Rod), offsetof(Rod, to), 1);
        set_attribute(3, 3, sizeof(Rod), offsetof(Rod, colour), 1);
    }
}

void Renderer::make_weave_texture() {
    weave_ = make_texture();
    glBindTexture(GL_TEXTURE_2D, weave_.get());
    glTexImage2D(GL_TEXTURE_2D, 0, GL_SRGB8, weave_side, weave_side, 0, GL_RGB, GL_UNSIGNED_BYTE,
                 make_weave().data());
    glGenerateMipmap(GL_TEXTURE_2D);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameterf(GL_TEXTURE_2D, GL_TEXTURE_LOD_BIAS, -0.5f);
}

void Renderer::make_shadow_map() {
    shadow_ = make_texture();
    glBindTexture(GL_TEXTURE_2D, shadow_.get());
    glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT24, shadow_side, shadow_side, 0,
                 GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, nullptr);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
    shadow_target_ = make_framebuffer();
    glBindFramebuffer(GL_FRAMEBUFFER, shadow_target_.get());
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, shadow_.get(), 0);
    glDrawBuffer(GL_NONE);
    glReadBuffer(GL_NONE);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

void Renderer::resize(Size size) {
    if (size == size_) return;
    size_ = size;
    GLint max_samples = 0;
    glGetIntegerv(GL_MAX_SAMPLES, &max_samples);
    const auto storage = [&](GlRenderbuffer& buffer, GLenum format, int count) {
        buffer = make_renderbuffer();
        glBindRenderbuffer(GL_RENDERBUFFER, buffer.get());
        glRenderbufferStorageMultisample(GL_RENDERBUFFER, count, format, size.width, size.height);
    };
    storage(colour_, GL_RGBA8, std::min(samples_, max_samples));
    storage(depth_, GL_DEPTH_COMPONENT24, std::min(samples_, max_samples));
    storage(resolved_colour_, GL_RGBA8, 0);
    target_ = make_framebuffer();
    glBindFramebuffer(GL_FRAMEBUFFER, target_.get());
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, colour_.get());
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth_.get());
    resolved_target_ = make_framebuffer();
    glBindFramebuffer(GL_FRAMEBUFFER, resolved_target_.get());
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER,
                              resolved_colour_.get());
}

void Renderer::upload(const Drawing& drawing) {
    if (skins_.size() < drawing.skins.size()) skins_.resize(drawing.skins.size());
    for (std::size_t i = 0; i < drawing.skins.size(); ++i) {
        const Skin& skin = drawing.skins[i];
        SkinBuffers& buffers = skins_[i];
        if (!buffers.array.get()) {
            buffers.array = make_vertex_array();
            buffers.positions = make_buffer();
            buffers.normals = make_buffer();
            buffers.pattern = make_buffer();
            buffers.triangles = make_buffer();
        }
        glBindVertexArray(buffers.array.get());
        fill(GL_ARRAY_BUFFER, buffers.positions, skin.positions.data(), skin.positions.size(),
             GL_STREAM_DRAW);
        set_attribute(0, 3, 3 * sizeof(float), 0, 0);
        fill(GL_ARRAY_BUFFER, buffers.normals, skin.normals.data(), skin.normals.size(),
             GL_STREAM_DRAW);
        set_attribute(1, 3, 3 * sizeof(float), 0, 0);
        if (buffers.shape == skin.shape) continue;
        buffers.shape = skin.shape;
        buffers.indices = static_cast<GLsizei>(skin.triangles.size());
        fill(GL_ELEMENT_ARRAY_BUFFER, buffers.triangles, skin.triangles.data(),
             skin.triangles.size(), GL_STATIC_DRAW);
        if (skin.pattern.empty()) {
            glDisableVertexAttribArray(2);
            continue;
        }
        std::vector<float> repeats(skin.pattern.begin(), skin.pattern.end());
        for (float& coordinate : repeats) coordinate /= weave_metres;
        fill(GL_ARRAY_BUFFER, buffers.pattern, repeats.data(), repeats.size(), GL_STATIC_DRAW);
        set_attribute(2, 2, 2 * sizeof(float), 0, 0);
    }
    fill(GL_ARRAY_BUFFER, rods_.each, drawing.rods.data(), drawing.rods.size(), GL_STREAM_DRAW);
    fill(GL_ARRAY_BUFFER, lines_.each, drawing.lines.data(), drawing.lines.size(), GL_STREAM_DRAW);
    fill(GL_ARRAY_BUFFER, dots_.each, drawing.dots.data(), drawing.dots.size(), GL_STREAM_DRAW);
    fill(GL_ARRAY_BUFFER, balls_.each, drawing.balls.data(), drawing.balls.size(), GL_STREAM_DRAW);
}

void Renderer::set_frame(const Drawing& drawing, const OrbitCamera& camera) {
    // The shadow map covers everything that throws a shadow, and the floor on which the shadow
    // falls.
    Bounds bounds = drawing.bounds, shadow;
    for (int i = 0; i < 8; ++i) {
        const Point corner = {i & 1 ? bounds.low.x : bounds.high.x,
                              i & 2 ? bounds.low.y : bounds.high.y,
                              i & 4 ? bounds.low.z : bounds.high.z};
        const float height = std::max(corner.y - drawing.ground, 0.0f);
        shadow.include(corner - (height / to_light.y) * to_light);
    }
    bounds.include(shadow.low);
    bounds.include(shadow.high);
    const Point middle = bounds.middle();
    const float half = std::max(0.55f * bounds.diagonal(), 1e-3f);
    const Matrix light = orthographic(half, 0, 4 * half) *
                         look_at(middle + (2 * half) * normalized(to_light), middle, {0, 1, 0});
    const Point eye = camera.eye();
    const Point sun = normalized(to_light);
    const float soft_edge = 0.011f * half;
    const float reach = std::max(4 * drawing.bounds.diagonal(), 6.0f);
    const float shaded = std::min(
        0.5f * std::max(shadow.high.x - shadow.low.x, shadow.high.z - shadow.low.z) + 3 * soft_edge,
        0.9f * reach);
    const Frame frame = {camera.view_projection(size_.aspect()),
                         light,
                         {eye.x, eye.y, eye.z, drawing.ground},
                         {sun.x, sun.y, sun.z, 0.5f * soft_edge / half},
                         {shadow.middle().x, shadow.middle().z, shaded, 0},
                         {middle.x, soft_edge, middle.z, reach}};
    glBindBuffer(GL_UNIFORM_BUFFER, frame_.get());
    glBufferSubData(GL_UNIFORM_BUFFER, 0, sizeof frame, &frame);
}

static_assert(sizeof(Rotation) == 9 * sizeof(float)); // glUniformMatrix3fv reads it as columns
void Renderer::draw_casters(const Drawing& drawing, bool casting) const {
    const GlProgram& skin_program = casting ? skin_depth_ : skin_;
    glUseProgram(skin_program.get());
    glUniform1i(uniform_at(skin_program, "casting"), casting);
    for (std::size_t i = 0; i < drawing.skins.size(); ++i) {
        const Skin& skin = drawing.skins[i];
        const Material& material = skin.material;
        glUniformMatrix3fv(uniform_at(skin_program, "turn"), 1, GL_FALSE, &skin.turn.x.x);
        glUniform3f(uniform_at(skin_program, "offset"), skin.offset.x, skin.offset.y,
                    skin.offset.z);
        set_colour(uniform_at(skin_program, "front"), material.front);
        set_colour(uniform_at(skin_program, "back"), material.back);
        glUniform1f(uniform_at(skin_program, "gloss"), material.gloss);
        glUniform1f(uniform_at(skin_program, "thin"), material.thin);
        glUniform1i(uniform_at(skin_program, "woven"), material.woven && !skin.pattern.empty());
        glBindVertexArray(skins_[i].array.get());
        glDrawElements(GL_TRIANGLES, skins_[i].indices, GL_UNSIGNED_INT, nullptr);
    }
    const auto draw_set = [&](const GlProgram& program, const Instances& set, std::size_t count) {
        if (count == 0) return;
        glUseProgram(program.get());
        glUniform1i(uniform_at(program, "casting"), casting);
        glUniform1f(uniform_at(program, "radius"), drawing.rod_radius);
        glBindVertexArray(set.array.get());
        glDrawElementsInstanced(GL_TRIANGLES, set.indices, GL_UNSIGNED_INT, nullptr,
                                static_cast<GLsizei>(count));
    };
    draw_set(casting ? rod_depth_ : rod_, rods_, drawing.rods.size());
    draw_set(casting ? ball_depth_ : ball_, balls_, drawing.balls.size());
}

void Renderer::draw_shadow_map(const Drawing& drawing) const {
    glBindFramebuffer(GL_FRAMEBUFFER, shadow_target_.get());
    glViewport(0, 0, shadow_side, shadow_side);
    glClear(GL_DEPTH_BUFFER_BIT);
    draw_casters(drawing, true);
}

void Renderer::draw_floor() const {
    glBindVertexArray(empty_array_.get());
    for (const GlProgram* program : {&ground_, &shaded_ground_}) {
        glUseProgram(program->get());
        glUniform2f(uniform_at(*program, "pixels"), static_cast<float>(size_.width),
                    static_cast<float>(size_.height));
        glDrawArrays(GL_TRIANGLE_STRIP, program == &ground_ ? 0 : 10, program == &ground_ ? 10 : 4);
    }
    glDepthFunc(GL_LEQUAL); // the backdrop has the depth of the far plane, 1
    glUseProgram(backdrop_.get());
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glDepthFunc(GL_LESS);
}

void Renderer::draw_marks(const Drawing& drawing) const {
    glUseProgram(line_.get());
    glUniform1i(uniform_at(line_, "casting"), 0);
    glUniform1f(uniform_at(line_, "radius"), 0);
    glPointSize(5);
    const auto draw_set = [](GLenum kind, const Instances& set, std::size_t count) {
        if (count == 0) return;
        glBindVertexArray(set.array.get());
        glDrawElementsInstanced(kind, set.indices, GL_UNSIGNED_INT, nullptr,
                                static_cast<GLsizei>(count));
    };
    draw_set(GL_LINES, lines_, drawing.lines.size());
    draw_set(GL_POINTS, dots_, drawing.dots.size());
}

void Renderer::draw(const Drawing& drawing, const OrbitCamera& camera, Size size) {
    if (size.empty()) return;
    resize(size);
    set_frame(drawing, camera);
    upload(drawing);
    glEnable(GL_DEPTH_TEST);
    glDisable(GL_BLEND);
    glDisable(GL_CULL_FACE);
    glDisable(GL_SCISSOR_TEST);
    draw_shadow_map(drawing);

    glBindFramebuffer(GL_FRAMEBUFFER, target_.get());
    glViewport(0, 0, size.width, size.height);
    glClear(GL_DEPTH_BUFFER_BIT);
    glActiveTexture(GL_TEXTURE1);
    glBindTexture(GL_TEXTURE_2D, weave_.get());
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, shadow_.get());
    draw_casters(drawing, false);
    draw_marks(drawing);
    draw_floor(); // last: the depth test skips hidden pixels of floor and backdrop
    glBindVertexArray(0);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, target_.get());
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, resolved_target_.get());
    glBlitFramebuffer(0, 0, size.width, size.height, 0, 0, size.width, size.height,
                      GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

void Renderer::show(Size window) const {
    if (window.empty() || size_.empty()) return;
    glBindFramebuffer(GL_READ_FRAMEBUFFER, resolved_target_.get());
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    glBlitFramebuffer(0, 0, size_.width, size_.height, 0, 0, window.width, window.height,
                      GL_COLOR_BUFFER_BIT, window == size_ ? GL_NEAREST : GL_LINEAR);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

void Renderer::read(Image& image) const {
    image.size = size_;
    const std::size_t row = 3 * static_cast<std::size_t>(size_.width);
    image.rgb.resize(row * static_cast<std::size_t>(size_.height));
    if (size_.empty()) return;
    glBindFramebuffer(GL_READ_FRAMEBUFFER, resolved_target_.get());
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, size_.width, size_.height, GL_RGB, GL_UNSIGNED_BYTE, image.rgb.data());
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    for (int top = 0, bottom = size_.height - 1; top < bottom; ++top, --bottom) {
        const auto at = image.rgb.begin();
        std::swap_ranges(at + row * top, at + row * (top + 1), at + row * bottom);
    }
}

} // namespace twang::demo
