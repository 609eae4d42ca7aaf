# Copies the first fenced block of a language out of a Markdown file, word for word.
# Run as: cmake -DLANGUAGE=cpp -DINPUT=README.md -DOUTPUT=example.cpp -P extract.cmake
cmake_minimum_required(VERSION 3.25)

file(READ "${INPUT}" text)
string(REPLACE "\r\n" "\n" text "\n${text}")

set(open "\n```${LANGUAGE}\n")
string(FIND "${text}" "${open}" start)
if(start EQUAL -1)
  message(FATAL_ERROR "${INPUT} has no block that begins with a line \"```${LANGUAGE}\"")
endif()
string(SUBSTRING "${text}" 0 ${start} before)
string(LENGTH "${open}" length)
math(EXPR start "${start} + ${length}")
string(SUBSTRING "${text}" ${start} -1 text)
string(FIND "\n${text}" "\n```" end)
if(end EQUAL -1)
  message(FATAL_ERROR "the block \"```${LANGUAGE}\" of ${INPUT} has no end")
endif()
string(SUBSTRING "${text}" 0 ${end} code)
if(NOT code MATCHES "int main\\(")
  message(FATAL_ERROR "the first \"```${LANGUAGE}\" block of ${INPUT} is not a whole program")
endif()

# A compiler's complaint then names the README's own line.
string(REGEX REPLACE "[^\n]" "" newlines "${before}")
string(LENGTH "${newlines}" line)
math(EXPR line "${line} + 2")
file(WRITE "${OUTPUT}" "#line ${line} \"${INPUT}\"\n${code}")
