// A film of the pictures. Their pixels go through a pipe to the program ffmpeg, which encodes them
// and writes the file; the file name's extension selects the format: .mp4, .gif or .webp.
//
// The folder record/ owns all files that the demo writes: films, PNG pictures, sequences of .obj
// files, and the text file that app/ writes its reports and trajectories with. record/ receives
// pixels, positions and triangles (simulation/surface.hpp) and knows no window, no OpenGL and no
// Simulation.
#ifndef TWANG_DEMO_MOVIE_HPP
#define TWANG_DEMO_MOVIE_HPP

#include <sys/types.h>

#include <optional>
#include <string>

#include <twang/io.hpp>

#include "view/drawing.hpp"

namespace twang::demo {

constexpr int movie_rate = 60; // pictures per second given to add()

// Returns whether the file name has one of the three extensions.
bool is_movie_name(const std::string& path);

class Movie {
public:
    // Starts ffmpeg. Fails where ffmpeg is not installed or the file cannot be written.
    static io::Result<Movie> start(const std::string& path, Size size);
    Movie(Movie&& other) noexcept;
    Movie& operator=(Movie&& other) noexcept;
    ~Movie(); // calls close()

    // Appends a picture, which must have the size given to start(). Returns false when ffmpeg has
    // ended early.
    bool add(const Image& image);
    // Waits until ffmpeg has finished the file; returns an error if ffmpeg failed.
    std::optional<io::Error> close();
    const std::string& path() const { return path_; }

private:
    Movie(std::string path, int pipe, pid_t process)
        : path_(std::move(path)), pipe_(pipe), process_(process) {}

    std::string path_;
    int pipe_ = -1;
    pid_t process_ = -1;
};

} // namespace twang::demo

#endif // TWANG_DEMO_MOVIE_HPP
