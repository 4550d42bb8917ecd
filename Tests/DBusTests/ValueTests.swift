import DBus
import Testing

@Suite("Values", .timeLimit(.minutes(60)))
struct ValueTests {
  /// `depth` variants around a byte.
  static func variants(_ depth: Int) -> DBusValue {
    (0..<depth).reduce(DBusValue.byte(7)) { value, _ in .variant(value) }
  }

  static let all: [DBusValue] = [
    .byte(0), .byte(255), .bool(true), .bool(false), .int16(.min), .int16(.max), .uint16(.max),
    .int32(.min), .int32(.max), .uint32(.max), .int64(.min), .int64(.max), .uint64(.max),
    .double(0), .double(-1.5), .double(.infinity), .double(.leastNonzeroMagnitude),
    .string(""), .string("Grüße 👩‍🔬 \u{FFFE}\u{10FFFF}\n\u{7F}"),
    .string(String(repeating: "x", count: 70_000)),
    .objectPath("/"), .objectPath("/org/bluez/hci0"), .signature(""), .signature("a{sv}(ii)"),
    .bytes([]), .bytes([0, 1, 255]), .bytes((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0) }),
    .strings([]), .strings(["", "a"]), .array(element: "b", [.bool(true), .bool(false)]),
    .array(element: "ay", [.bytes([]), .bytes([1])]),
    .array(element: "t", [.uint64(1), .uint64(.max)]),
    .array(element: "a{sv}", []), .array(element: "(yv)", [.structure([.byte(1), .variant(.string("v"))])]),
    .array(element: "v", [.variant(.byte(1)), .variant(.string("mixed"))]),
    .vardict([]), .vardict([("z", .byte(1)), ("a", .strings(["x"])), ("m", .bytes([1, 2]))]),
    .dictionary(key: "q", value: "v", [DBusEntry(.uint16(0x004C), .variant(.bytes([2, 0x15])))]),
    .dictionary(key: "s", value: "a{sv}", [DBusEntry(.string("i"), .vardict([("p", .bool(true))]))]),
    .dictionary(
      key: "o", value: "a{sa{sv}}", [DBusEntry(.objectPath("/a"), .dictionary(key: "s", value: "a{sv}", []))]),
    .structure([.byte(1), .structure([.string("in"), .structure([.bytes([])])]), .double(2)]),
    .variant(.variant(.structure([.variant(.byte(1))]))), variants(60),
  ]

  @Test("values are received as they were sent, one by one and several in a message")
  func roundTrip() async throws {
    try await withService { client, _ in
      for value in Self.all {
        let back = try await client.call(TestService.call("Echo", [value]))
        #expect(back == [value], "\(value.signature)")
      }
      let back = try await client.call(TestService.call("Echo", Array(Self.all.prefix(25))))
      #expect(back == Array(Self.all.prefix(25)))
      #expect(try await client.call(TestService.call("Echo")) == [])
    }
  }

  static let hostile: [[DBusValue]] = [
    [.string("a\0b")], [.string("\0")], [.string("x\0\u{301}")], [.structure([])],
    [.array(element: "", [])], [.array(element: "ss", [])], [.array(element: "s", [.byte(1)])],
    [.array(element: "v", [.byte(1)])], [.dictionary(key: "v", value: "s", [])],
    [.dictionary(key: "s", value: "", [])],
    [.dictionary(key: "s", value: "v", [DBusEntry(.string("k"), .byte(1))])],
    [.dictionary(key: "ss", value: "v", [])],
    [.dictionary(key: "s", value: "v", [DBusEntry(.byte(1), .variant(.byte(1)))])],
    [.array(element: "h", []), .array(element: "h", [.uint32(1)])],
    [variants(65)], [.variant(.structure(Array(repeating: .byte(1), count: 254)))],
    Array(repeating: .byte(0), count: 256), [.bytes(Array(repeating: 0, count: 40 << 20))],
    [(0..<40).reduce(DBusValue.byte(0)) { value, _ in .structure([value]) }],
    [.variant((0..<40).reduce(DBusValue.byte(0)) { value, _ in .structure([value]) })],
  ]

  /// libdbus would end the process, or the bus the connection.
  @Test("values that no message can contain give badMessage, and the connection still works")
  func invalidValues() async throws {
    try await withService { client, _ in
      for body in Self.hostile {
        let call = TestService.call("Echo", body)
        #expect(await failure { () throws(DBusError) in try await client.call(call) }?.kind == .badMessage)
        let signal = Signal(path: "/a", interface: "a.b", member: "C", body: body)
        #expect(await failure { () throws(DBusError) in try await client.emit(signal) }?.kind == .badMessage)
      }
      try await expectReply(to: client)
    }
  }

  @Test("a signal with a reserved interface or path gives badMessage, and the connection still works")
  func reservedNames() async throws {
    try await withService { client, _ in
      let local = Signal(path: "/a", interface: "org.freedesktop.DBus.Local", member: "Disconnected")
      #expect(await failure { () throws(DBusError) in try await client.emit(local) }?.kind == .badMessage)
      let path = Signal(path: "/org/freedesktop/DBus/Local", interface: "a.b", member: "C")
      #expect(await failure { () throws(DBusError) in try await client.emit(path) }?.kind == .badMessage)
      try await expectReply(to: client)
    }
  }

  @Test("a value is read through variants and only as its own type, and the last of equal keys counts")
  func accessors() {
    let value = DBusValue.variant(.variant(.uint16(76)))
    #expect(value.asUInt16 == 76)
    #expect(value.asUInt32 == nil)
    let properties = DBusValue.vardict([
      ("RSSI", .int16(-60)), ("UUIDs", .strings(["a"])), ("RSSI", .int16(-61)),
    ])
    #expect(properties.asVardict == ["RSSI": .int16(-61), "UUIDs": .strings(["a"])])
    #expect(properties.asVardict?["UUIDs"]?.asStrings == ["a"])
    #expect(DBusValue.array(element: "y", [.byte(1)]).asBytes == [1])
    #expect(DBusValue.string("/a").asObjectPath == nil)
  }
}
