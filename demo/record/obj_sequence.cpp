#include "record/obj_sequence.hpp"

#include <cstdio>
#include <filesystem>
#include <system_error>

#include "record/output_file.hpp"

namespace twang::demo {

io::Result<ObjSequence> ObjSequence::open(const std::string& folder, const io::Scene& scene,
                                          const Model& model) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) {
        return io::Error{folder, 0, "cannot make this folder: " + error.message(),
                         io::Exit::unreadable};
    }
    ObjSequence sequence;
    sequence.stem_ = (std::filesystem::path(folder) / scene.name).string();
    const Surface surface = make_surface(scene, model);
    for (std::size_t i = 0; i + 2 < surface.triangles.size(); i += 3) {
        sequence.elements_ += "f " + std::to_string(surface.triangles[i] + 1) + ' ' +
                              std::to_string(surface.triangles[i + 1] + 1) + ' ' +
                              std::to_string(surface.triangles[i + 2] + 1) + '\n';
    }
    if (!sequence.elements_.empty()) return sequence;
    std::vector<SpringDef> springs(model.info().springs);
    twang_model_copy_springs(model.get(), springs.data(), springs.size());
    for (const SpringDef& spring : springs) {
        sequence.elements_ +=
            "l " + std::to_string(spring.a + 1) + ' ' + std::to_string(spring.b + 1) + '\n';
    }
    return sequence;
}

std::optional<io::Error> ObjSequence::write(int frame, std::span<const double> xyz) const {
    char number[32];
    std::snprintf(number, sizeof number, "-%05d.obj", frame);
    io::Result<OutputFile> file = OutputFile::open(stem_ + number);
    if (!file) return file.error();
    for (std::size_t i = 0; i + 2 < xyz.size(); i += 3) {
        char line[128];
        std::snprintf(line, sizeof line, "v %.9g %.9g %.9g\n", xyz[i], xyz[i + 1], xyz[i + 2]);
        file->write(line);
    }
    file->write(elements_);
    return file->close();
}

} // namespace twang::demo
