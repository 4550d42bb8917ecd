import Bluetooth
import CDBus

@testable import BlueZ
@testable import DBus

extension FuzzTarget {
  /// D-Bus messages as bytes on the bus: a message that can be read can be sent and then reads the same. The
  /// harness corrects the length of the body, because libdbus rejects any other.
  static let message = FuzzTarget(name: "message") { bytes in
    guard let message = demarshal(mended(bytes)) else { return }
    defer { dbus_message_unref(message) }
    switch Incoming(message) {
    case .call(let call):
      Observation.take(call)
      if let copy = try? OutgoingMessage(call) {
        try checkIsStable(copy) { try? OutgoingMessage(asCall($0)) }
      }
    case .signal(let signal):
      Observation.take(signal)
      if let copy = try? OutgoingMessage(signal) {
        try checkIsStable(copy) { try? OutgoingMessage(asSignal($0)) }
      }
      if let change = ObjectTree.Change(signal) { try check([change]) }
    case .answer(_, .success(let body)):
      Observation.take(body)
      if let change = ObjectTree.Change(managedObjects: body) { try check([change]) }
    case .answer, .unreadable, .nothing: break
    }
  }

  /// Changes of `org.bluez` objects: each part of the input (2 bytes length, 1 byte kind of change) is a body
  /// in D-Bus encoding.
  static let objects = FuzzTarget(name: "objects") { bytes in
    var input = InputReader(bytes)
    var changes: [ObjectTree.Change] = []
    while !input.isEmpty {
      let length = Int(input.byte()) | Int(input.byte()) << 8
      let shape = Shape.all[Int(input.byte()) % Shape.all.count]
      guard let message = demarshal(shape.message(input.bytes(length))) else { continue }
      defer { dbus_message_unref(message) }
      switch Incoming(message) {
      case .signal(let signal): if let change = ObjectTree.Change(signal) { changes.append(change) }
      case .answer(_, .success(let body)):
        if let change = ObjectTree.Change(managedObjects: body) { changes.append(change) }
      default: break
      }
    }
    try check(changes)
  }

  /// A message without its body.
  struct Shape: Sendable {
    var type: UInt8
    var member: String
    var interface: String
    var signature: String

    static let all = [
      Shape(
        type: 4, member: "InterfacesAdded", interface: "org.freedesktop.DBus.ObjectManager",
        signature: "oa{sa{sv}}"),
      Shape(
        type: 4, member: "InterfacesRemoved", interface: "org.freedesktop.DBus.ObjectManager",
        signature: "oas"),
      Shape(
        type: 4, member: "PropertiesChanged", interface: "org.freedesktop.DBus.Properties",
        signature: "sa{sv}as"),
      Shape(type: 2, member: "", interface: "", signature: "a{oa{sa{sv}}}"),
    ]

    /// The path of the device in the tests.
    static let path = "/org/bluez/hci0/dev_C4_7C_8D_00_00_01"

    /// The message in little-endian encoding.
    func message(_ body: [UInt8]) -> [UInt8] {
      var fields: [UInt8] = []
      func field(_ code: UInt8, _ type: String, _ value: [UInt8]) {
        fields += [UInt8](repeating: 0, count: (8 - fields.count % 8) % 8)
        fields += [code, 1, UInt8(ascii: type.unicodeScalars.first ?? "s"), 0] + value
      }
      func text(_ text: String) -> [UInt8] { Self.number(text.utf8.count) + Array(text.utf8) + [0] }
      if type == 4 {
        field(1, "o", text(Self.path))
        field(2, "s", text(interface))
        field(3, "s", text(member))
      } else {
        field(5, "u", Self.number(1))
      }
      field(8, "g", [UInt8(signature.utf8.count)] + Array(signature.utf8) + [0])
      let start =
        [UInt8(ascii: "l"), type, 0, 1] + Self.number(body.count) + Self.number(1) + Self.number(fields.count)
        + fields
      return start + [UInt8](repeating: 0, count: (8 - start.count % 8) % 8) + body
    }

    private static func number(_ number: Int) -> [UInt8] {
      withUnsafeBytes(of: UInt32(truncatingIfNeeded: number).littleEndian) { Array($0) }
    }
  }

  /// - Throws: when the resulting tree cannot be walked, or differs between two runs.
  private static func check(_ changes: [ObjectTree.Change]) throws {
    var tree = ObjectTree()
    var again = ObjectTree()
    for change in changes {
      tree.apply(change)
      again.apply(change)
      guard case .changed(let path, _, let properties, _) = change, let device = tree.device(path) else {
        continue
      }
      var (advertisement, sighting) = ReceivedContent.created(device)
      _ = sighting
      for repeats in [true, false] {
        let received = advertisement.take(properties, device: device, repeatsData: repeats)
        let taken = received?.advertisement(
          of: BluetoothAddress(rawValue: 1), by: AdapterID(BluetoothAddress(rawValue: 2)),
          at: MonotonicInstant(sinceZero: .zero))
        Observation.take(taken as Any)
      }
      Observation.take(CleanSlates.isTied(device))
    }
    try Violation.unless(tree == again, "the same changes leave the same tree")
    Observation.take([tree, tree.stackVersion as Any, tree.adapters])
    for adapter in tree.adapters {
      try Violation.unless(tree.path(of: adapter.id) != nil, "a present adapter has a path")
    }
    for path in tree.adapterPaths {
      for device in tree.devices(under: path) {
        Observation.take(
          tree.service("12345678-9ABC-DEF0-1234-000000000000", requiring: ["2A00"], of: device) as Any)
      }
    }
  }

  /// The message with its actual body length and a serial number other than 0.
  private static func mended(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.count >= 16 else { return bytes }
    var bytes = bytes
    let isLittle = bytes[0] == UInt8(ascii: "l")
    func number(_ offset: Int) -> Int {
      let digits = bytes[offset..<offset + 4]
      return (isLittle ? Array(digits.reversed()) : Array(digits)).reduce(0) { $0 << 8 | Int($1) }
    }
    let start = (16 + number(12) + 7) / 8 * 8
    let length = max(0, bytes.count - start)
    for index in 0..<4 {
      let shift = 8 * (isLittle ? index : 3 - index)
      bytes[4 + index] = UInt8(truncatingIfNeeded: length >> shift)
      bytes[8 + index] = index == 0 ? 1 : 0
    }
    return bytes
  }

  private static func demarshal(_ bytes: [UInt8]) -> OpaquePointer? {
    bytes.withUnsafeBytes { bytes in
      dbus_message_demarshal(
        bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count), nil)
    }
  }

  /// - Throws: If the message does not arrive unchanged.
  private static func checkIsStable(
    _ message: OutgoingMessage, _ sentAgain: (Incoming) -> OutgoingMessage?
  ) throws {
    let bytes = marshal(message)
    guard let arrived = demarshal(bytes) else { throw Violation("a sent message can be read") }
    defer { dbus_message_unref(arrived) }
    guard let again = sentAgain(Incoming(arrived)) else { throw Violation("a received message can be sent") }
    try Violation.unless(marshal(again) == bytes, "a message arrives unchanged")
  }

  private static func asCall(_ message: Incoming) throws -> MethodCall {
    guard case .call(let call) = message else { throw Violation("a call arrives as a call") }
    return call
  }

  private static func asSignal(_ message: Incoming) throws -> Signal {
    guard case .signal(let signal) = message else { throw Violation("a signal arrives as a signal") }
    return signal
  }

  private static func marshal(_ message: OutgoingMessage) -> [UInt8] {
    dbus_message_set_serial(message.pointer, 1)
    var bytes: UnsafeMutablePointer<CChar>?
    var count: Int32 = 0
    guard dbus_message_marshal(message.pointer, &bytes, &count) != 0, let bytes else { return [] }
    defer { dbus_free(bytes) }
    return UnsafeRawBufferPointer(start: bytes, count: Int(count)).map { $0 }
  }
}
