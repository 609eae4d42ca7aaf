// The first body of every frame as one Wavefront .obj file per frame: DIR/cloth-00000.obj and so
// on.
#ifndef TWANG_DEMO_OBJ_SEQUENCE_HPP
#define TWANG_DEMO_OBJ_SEQUENCE_HPP

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <twang/io.hpp>

#include "simulation/surface.hpp"

namespace twang::demo {

class ObjSequence {
public:
    // Creates the folder if it does not exist.
    static io::Result<ObjSequence> open(const std::string& folder, const io::Scene& scene,
                                        const Model& model);
    // Writes the vertices with nine significant digits, then the triangles, or the springs as lines
    // for a body without triangles.
    std::optional<io::Error> write(int frame, std::span<const double> xyz) const;

private:
    std::string stem_;     // "DIR/cloth"
    std::string elements_; // the lines of triangles or springs, the same in every file
};

} // namespace twang::demo

#endif // TWANG_DEMO_OBJ_SEQUENCE_HPP
