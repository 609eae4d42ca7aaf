// The programs that run on the graphics card, as text. Lighting is written once and shared.
#ifndef TWANG_DEMO_SHADERS_HPP
#define TWANG_DEMO_SHADERS_HPP

#include <string>

namespace twang::demo::shaders {

// Where things are. Each is used twice: seen by the eye and, with "casting" set, by the light.
std::string skin_vertex();
std::string rod_vertex();
std::string ball_vertex();
std::string ground_vertex();
std::string backdrop_vertex();

// What they look like.
std::string skin_fragment();
std::string plain_fragment();               // rods and balls: a colour each
std::string line_fragment();                // no light at all
std::string ground_fragment(bool shadowed); // with a look at the shadow map, or far from it
std::string backdrop_fragment();
std::string depth_fragment(); // for the shadow map

} // namespace twang::demo::shaders

#endif // TWANG_DEMO_SHADERS_HPP
