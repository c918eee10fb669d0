// engine/code/precision.hpp: the number types beyond double for which Machine is instantiated, by decimal digits.
#pragma once
#include <boost/multiprecision/cpp_bin_float.hpp>

namespace kron::code {

using Float50 = boost::multiprecision::cpp_bin_float_50;
using Float100 = boost::multiprecision::cpp_bin_float_100;
using Float250 = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<250>>;

}  // namespace kron::code
