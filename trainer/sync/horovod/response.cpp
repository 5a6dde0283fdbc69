// SPDX-License-Identifier: Apache-2.0
// Responses as bytes.
#include "trainer/sync/horovod/response.hpp"

namespace dlscale::trainer::horovod {

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
  return packer.take();
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
