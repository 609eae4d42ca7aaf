// The body in every frame as a Wavefront file of its own: DIR/cloth-00000.obj and so on.
#ifndef TWANG_DEMO_OBJ_SEQUENCE_HPP
#define TWANG_DEMO_OBJ_SEQUENCE_HPP

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <twang/io.hpp>

#include "surface.hpp"

namespace twang::demo {

class ObjSequence {
public:
    // Makes the folder if need be.
    static io::Result<ObjSequence> open(const std::string& folder, const io::Scene& scene,
                                        const Model& model);
    // Triangles, or lines where there are none; xyz in full precision.
    std::optional<io::Error> write(int frame, std::span<const double> xyz) const;

private:
    std::string stem_;     // "DIR/cloth"
    std::string elements_; // the same in every file
};

} // namespace twang::demo

#endif // TWANG_DEMO_OBJ_SEQUENCE_HPP
