// Owners of OpenGL objects: programs, buffers, vertex arrays, textures, framebuffers,
// renderbuffers. An OpenGL context must be current whenever an owner is created or destroyed.
#ifndef TWANG_DEMO_GL_HPP
#define TWANG_DEMO_GL_HPP

#include <glad/gl.h>

#include <string>
#include <utility>

namespace twang::demo {

// Owns one OpenGL name and deletes it with Delete.
template <void (*Delete)(GLuint)>
class GlObject {
public:
    GlObject() = default;
    explicit GlObject(GLuint name) : name_(name) {}
    GlObject(GlObject&& other) noexcept : name_(std::exchange(other.name_, 0)) {}
    GlObject& operator=(GlObject&& other) noexcept {
        std::swap(name_, other.name_);
        return *this;
    }
    ~GlObject() {
        if (name_) Delete(name_);
    }
    GLuint get() const { return name_; }

private:
    GLuint name_ = 0;
};

void delete_program(GLuint name);
void delete_buffer(GLuint name);
void delete_vertex_array(GLuint name);
void delete_texture(GLuint name);
void delete_framebuffer(GLuint name);
void delete_renderbuffer(GLuint name);

using GlProgram = GlObject<delete_program>;
using GlBuffer = GlObject<delete_buffer>;
using GlVertexArray = GlObject<delete_vertex_array>;
using GlTexture = GlObject<delete_texture>;
using GlFramebuffer = GlObject<delete_framebuffer>;
using GlRenderbuffer = GlObject<delete_renderbuffer>;

GlBuffer make_buffer();
GlVertexArray make_vertex_array();
GlTexture make_texture();
GlFramebuffer make_framebuffer();
GlRenderbuffer make_renderbuffer();

// Compiles and links a program. On failure returns an empty one and appends the driver's log to
// `complaint`.
GlProgram make_program(const std::string& vertex, const std::string& fragment,
                       std::string& complaint);

} // namespace twang::demo

#endif // TWANG_DEMO_GL_HPP
