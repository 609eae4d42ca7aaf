// Draws a Drawing with OpenGL 3.3: shadow map, skins, rods, balls, lines, floor, backdrop. The
// target is a framebuffer of its own, which show() copies to the window and read() copies to
// memory. Knows positions, normals and triangles; knows no bodies, input or files.
#ifndef TWANG_DEMO_RENDERER_HPP
#define TWANG_DEMO_RENDERER_HPP

#include <vector>

#include "view/camera.hpp"
#include "view/drawing.hpp"
#include "view/gl.hpp"

namespace twang::demo {

class Renderer {
public:
    Renderer(); // needs a current OpenGL context
    // Selects four samples per pixel or one, before the first draw(). Four are slow in software
    // rendering.
    void set_smooth(bool smooth) { samples_ = smooth ? 4 : 0; }
    // Returns whether the driver renders on the CPU (Mesa's llvmpipe, softpipe).
    bool is_software() const;
    // Returns the driver's log of failed shaders; empty when all compiled.
    const std::string& complaint() const { return complaint_; }

    // Draws into the framebuffer. Does nothing when the size is empty.
    void draw(const Drawing& drawing, const OrbitCamera& camera, Size size);
    // Copies the last drawn image to the window, scaled to its size.
    void show(Size window) const;
    // Copies the last drawn image to memory.
    void read(Image& image) const;

private:
    struct SkinBuffers {
        std::uint64_t shape = 0;
        GLsizei indices = 0;
        GlVertexArray array;
        GlBuffer positions, normals, pattern, triangles;
    };
    struct Instances { // instances of one small mesh, of a line or of a point
        GLsizei indices = 0;
        GlVertexArray array;
        GlBuffer corners, triangles, each; // each: the attributes per instance
    };

    void make_programs();
    void make_meshes();
    void make_weave_texture();
    void make_shadow_map();
    void resize(Size size);
    void upload(const Drawing& drawing);
    void set_frame(const Drawing& drawing, const OrbitCamera& camera);
    void draw_casters(const Drawing& drawing, bool casting) const;
    void draw_shadow_map(const Drawing& drawing) const;
    void draw_floor() const;
    void draw_marks(const Drawing& drawing) const;

    std::string complaint_;
    GlProgram skin_, rod_, ball_, line_, ground_, shaded_ground_, backdrop_;
    GlProgram skin_depth_, rod_depth_, ball_depth_;
    GlBuffer frame_;
    GlTexture weave_, shadow_;
    GlFramebuffer shadow_target_, target_, resolved_target_;
    GlRenderbuffer colour_, depth_, resolved_colour_;
    GlVertexArray empty_array_;
    std::vector<SkinBuffers> skins_;
    Instances rods_, balls_, lines_, dots_;
    Size size_{0, 0};
    int samples_ = 4;
};

} // namespace twang::demo

#endif // TWANG_DEMO_RENDERER_HPP
