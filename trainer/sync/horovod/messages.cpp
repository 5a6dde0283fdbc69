// SPDX-License-Identifier: Apache-2.0
#include "trainer/sync/horovod/messages.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <numeric>

namespace dlscale::trainer::horovod {

// The following functions convert requests to text and to bytes.

namespace {

const char* name_of(ElementType type) {
  switch (type) {
    case ElementType::uint8:
      return "uint8";
    case ElementType::int32:
      return "int32";
    case ElementType::int64:
      return "int64";
    case ElementType::float16:
      return "float16";
    case ElementType::bfloat16:
      return "bfloat16";
    case ElementType::float32:
      return "float32";
    case ElementType::float64:
      break;
  }
  return "float64";
}

}  // namespace

std::int64_t Request::count() const {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::string Request::layout() const {
  return fmt::format("{} [{}]", name_of(type), fmt::join(shape, ", "));
}

Bytes pack(const RequestList& list) {
  Packer packer;
  packer.number(list.shut_down);
  packer.number(list.requests.size());
  for (const Request& request : list.requests) {
    packer.text(request.name);
    packer.number(request.type);
    packer.number(request.shape.size());
    for (const std::int64_t extent : request.shape) packer.number(extent);
    packer.number(request.waited_s);
  }
  return packer.release_bytes();
}

RequestList unpack_requests(const Bytes& bytes) {
  Unpacker from(bytes);
  RequestList list;
  list.shut_down = from.number<bool>();
  const auto requests = from.number<std::size_t>();
  for (std::size_t i = 0; i < requests; ++i) {
    Request request;
    request.name = from.text();
    request.type = from.number<ElementType>();
    const auto dimensions = from.number<std::size_t>();
    for (std::size_t d = 0; d < dimensions; ++d) {
      request.shape.push_back(from.number<std::int64_t>());
    }
    request.waited_s = from.number<double>();
    list.requests.push_back(std::move(request));
  }
  return list;
}

// The following functions convert responses to bytes.
Bytes pack(const ResponseList& list) {
  Packer packer;
  packer.number(list.shut_down);
  packer.number(list.responses.size());
  for (const Response& response : list.responses) {
    packer.number(response.names.size());
    for (const std::string& name : response.names) packer.text(name);
    packer.number(response.type);
    packer.number(response.count);
    packer.text(response.error);
  }
  return packer.release_bytes();
}

ResponseList unpack_responses(const Bytes& bytes) {
  Unpacker from(bytes);
  ResponseList list;
  list.shut_down = from.number<bool>();
  const auto responses = from.number<std::size_t>();
  for (std::size_t i = 0; i < responses; ++i) {
    Response response;
    const auto names = from.number<std::size_t>();
    for (std::size_t n = 0; n < names; ++n) response.names.push_back(from.text());
    response.type = from.number<ElementType>();
    response.count = from.number<std::int64_t>();
    response.error = from.text();
    list.responses.push_back(std::move(response));
  }
  return list;
}

}  // namespace dlscale::trainer::horovod
