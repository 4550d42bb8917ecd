import Foundation
import Testing

@testable import Bluetooth

@Suite("The identity of an adapter") struct AdapterIDTests {
  private let address = BluetoothAddress(rawValue: 0x001A_7DDA_7113)

  private func id(_ host: String?, _ number: UInt64 = 0) -> AdapterID {
    AdapterID(BluetoothAddress(rawValue: address.rawValue + number), on: host.flatMap { HostName($0) })
  }

  @Test("an adapter of this computer is written as its address, one of another after its host")
  func written() throws {
    for (id, text) in [
      (id(nil), "00:1A:7D:DA:71:13"), (id("floor-3"), "floor-3/00:1A:7D:DA:71:13"),
    ] {
      #expect(id.description == text && AdapterID(text) == id)
      let json = try JSONEncoder().encode([id])
      #expect(String(decoding: json, as: UTF8.self).replacing("\\/", with: "/") == "[\"\(text)\"]")
      #expect(try JSONDecoder().decode([AdapterID].self, from: json) == [id])
    }
  }

  @Test(
    "nothing else is read as one",
    arguments: [
      "", "floor-3", "floor-3/", "/00:1A:7D:DA:71:13", "Floor/00:1A:7D:DA:71:13", "a/b/00:1A:7D:DA:71:13",
    ])
  func unreadable(text: String) {
    #expect(AdapterID(text) == nil)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([AdapterID].self, from: JSONEncoder().encode([text]))
    }
  }

  @Test("the adapters of this computer come first, then those of each host, by address")
  func order() {
    let ids = [id(nil, 0), id(nil, 1), id("a", 0), id("a", 2), id("b", 1)]
    #expect(ids.reversed().sorted() == ids)
    // Not only between neighbours.
    for (first, a) in ids.enumerated() {
      for (second, b) in ids.enumerated() { #expect((a < b) == (first < second)) }
    }
  }

  @Test(
    "the name of a host is no adapter's, and has nothing that a reference, a path or a terminal reads otherwise",
    arguments: [
      ("floor-3", true), ("a", true), ("3", true), ("hci", true), ("hci0", false), ("hci12", false),
      ("001a7dda7113", false), ("00-1a-7d-da-71-13", false), ("", false), ("-a", false), ("a-", false),
      ("a--b", false),
      ("Floor", false), ("a/b", false), ("a b", false), ("ä", false), ("a\n", false),
      (String(repeating: "a", count: 64), true), (String(repeating: "a", count: 65), false),
    ])
  func names(text: String, isOne: Bool) {
    #expect((HostName(text) != nil) == isOne)
  }
}
