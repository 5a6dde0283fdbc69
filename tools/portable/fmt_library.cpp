// SPDX-License-Identifier: Apache-2.0
// The library of fmt, compiled from its headers, because Debian 12 has no static one.
#include <fmt/format-inl.h>

// The headers only declare these functions, so that the library contains them once.
template auto fmt::detail::thousands_sep_impl<char>(fmt::detail::locale_ref)
    -> fmt::detail::thousands_sep_result<char>;
template char fmt::detail::decimal_point_impl(fmt::detail::locale_ref);
template std::locale fmt::detail::locale_ref::get<std::locale>() const;
