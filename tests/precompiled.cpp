// Stands for the headers that the tests share; see CMakeLists.txt.
