// A film of the pictures: their pixels go through a pipe to ffmpeg, which writes the file. The
// extension says what it will be: .mp4, .gif or .webp.
#ifndef TWANG_DEMO_MOVIE_HPP
#define TWANG_DEMO_MOVIE_HPP

#include <sys/types.h>

#include <optional>
#include <string>

#include <twang/io.hpp>

#include "drawing.hpp"

namespace twang::demo {

constexpr int movie_rate = 60; // pictures a second, as they come in

// Is this a file name a movie can have?
bool is_movie_name(const std::string& path);

class Movie {
public:
    // Starts ffmpeg; an error where there is none or the file cannot be written.
    static io::Result<Movie> start(const std::string& path, Size size);
    Movie(Movie&& other) noexcept;
    Movie& operator=(Movie&& other) noexcept;
    ~Movie(); // ends it, as close() does

    // All images must have the size it was started with. False when ffmpeg takes no more.
    bool add(const Image& image);
    // Lets ffmpeg finish the file, and tells whether it did.
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
