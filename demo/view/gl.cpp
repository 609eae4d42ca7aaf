#include "view/gl.hpp"

namespace twang::demo {
namespace {

GLuint compile(GLenum kind, const std::string& source, std::string& complaint) {
    const GLuint shader = glCreateShader(kind);
    const char* text = source.c_str();
    glShaderSource(shader, 1, &text, nullptr);
    glCompileShader(shader);
    GLint ok = 0;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
    if (!ok) {
        char log[1024] = "";
        glGetShaderInfoLog(shader, sizeof log, nullptr, log);
        complaint += log;
    }
    return shader;
}

} // namespace

void delete_program(GLuint name) { glDeleteProgram(name); }
void delete_buffer(GLuint name) { glDeleteBuffers(1, &name); }
void delete_vertex_array(GLuint name) { glDeleteVertexArrays(1, &name); }
void delete_texture(GLuint name) { glDeleteTextures(1, &name); }
void delete_framebuffer(GLuint name) { glDeleteFramebuffers(1, &name); }
void delete_renderbuffer(GLuint name) { glDeleteRenderbuffers(1, &name); }

GlBuffer make_buffer() {
    GLuint name = 0;
    glGenBuffers(1, &name);
    return GlBuffer(name);
}

GlVertexArray make_vertex_array() {
    GLuint name = 0;
    glGenVertexArrays(1, &name);
    return GlVertexArray(name);
}

GlTexture make_texture() {
    GLuint name = 0;
    glGenTextures(1, &name);
    return GlTexture(name);
}

GlFramebuffer make_framebuffer() {
    GLuint name = 0;
    glGenFramebuffers(1, &name);
    return GlFramebuffer(name);
}

GlRenderbuffer make_renderbuffer() {
    GLuint name = 0;
    glGenRenderbuffers(1, &name);
    return GlRenderbuffer(name);
}

GlProgram make_program(const std::string& vertex, const std::string& fragment,
                       std::string& complaint) {
    const GLuint shaders[2] = {compile(GL_VERTEX_SHADER, vertex, complaint),
                               compile(GL_FRAGMENT_SHADER, fragment, complaint)};
    GlProgram program(glCreateProgram());
    for (const GLuint shader : shaders) {
        glAttachShader(program.get(), shader);
        glDeleteShader(shader); // freed together with the program
    }
    glLinkProgram(program.get());
    GLint ok = 0;
    glGetProgramiv(program.get(), GL_LINK_STATUS, &ok);
    if (ok) return program;
    char log[1024] = "";
    glGetProgramInfoLog(program.get(), sizeof log, nullptr, log);
    complaint += log;
    return {};
}

} // namespace twang::demo
