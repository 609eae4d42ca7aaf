// Draws a Drawing with OpenGL 3.3: shadow map, backdrop, floor, skins, rods, balls, lines, into an
// image of its own, which is then shown in the window or read back. Knows positions, normals and
// triangles; nothing of bodies, cameras' habits or files.
#ifndef TWANG_DEMO_RENDERER_HPP
#define TWANG_DEMO_RENDERER_HPP

#include <vector>

#include "camera.hpp"
#include "drawing.hpp"
#include "gl.hpp"

namespace twang::demo {

class Renderer {
public:
    Renderer(); // needs a current context
    // Several samples a pixel, or one: several are slow where there is no graphics card. Before the
    // first drawing.
    void set_smooth(bool smooth) { samples_ = smooth ? 4 : 0; }
    bool is_software() const; // the processor does the drawing
    // What the driver did not like; empty when all is well.
    const std::string& complaint() const { return complaint_; }

    // Draws into the renderer's own image. Does nothing when the size is empty.
    void draw(const Drawing& drawing, const OrbitCamera& camera, Size size);
    // Fills the window with the image, which was drawn before.
    void show(Size window) const;
    // Copies the image.
    void read(Image& image) const;

private:
    struct SkinBuffers {
        std::uint64_t shape = 0;
        GLsizei indices = 0;
        GlVertexArray array;
        GlBuffer positions, normals, pattern, triangles;
    };
    struct Instances { // many copies of one small mesh, or of a line
        GLsizei indices = 0;
        GlVertexArray array;
        GlBuffer corners, triangles, each;
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
    GlFramebuffer shadow_target_, target_, resolved_;
    GlRenderbuffer colour_, depth_, flat_;
    GlVertexArray nothing_;
    std::vector<SkinBuffers> skins_;
    Instances rods_, balls_, lines_, dots_;
    Size size_{0, 0};
    int samples_ = 4;
};

} // namespace twang::demo

#endif // TWANG_DEMO_RENDERER_HPP
