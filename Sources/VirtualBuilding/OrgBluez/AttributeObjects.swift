import Bluetooth
import DBus
import Hex

/// A peripheral's attribute as a D-Bus object of bluetoothd. Object names contain handles:
/// `…/service0010/char0011/desc0013`. A characteristic is named after the handle of its declaration, which is
/// one less than that of its value.
struct AttributeObject {
  var path: ObjectPath
  var interfaces: [ExportedObjects.Interface]
  /// How long after `ServicesResolved` the object appears.
  var lateBy: Duration = .zero
}

extension AttributeTable.Characteristic {
  /// The last element of the object's path.
  var pathElement: String { "char" + (handle - 1).hex(digits: 4) }

  /// Its descriptors, by handle.
  fileprivate var descriptors: [(handle: AttributeHandle, uuid: BluetoothUUID)] {
    [(configuration, BluetoothUUID(short: 0x2902)), (descriptionHandle, .userDescription)]
      .compactMap { handle, uuid in handle.map { ($0, uuid) } }
  }
}

extension AttributeTable {
  func characteristic(at path: ObjectPath) -> Characteristic? {
    services.lazy.flatMap(\.characteristics).first { path.text.hasSuffix("/" + $0.pathElement) }
  }

  /// The table without the services that the stack keeps for itself.
  func without(_ claimed: Set<BluetoothUUID>) -> AttributeTable {
    var table = self
    table.services.removeAll { claimed.contains($0.uuid) }
    return table
  }

  /// All objects below a device, parents first.
  func objects(below device: ObjectPath, mtu: Int) -> [AttributeObject] {
    services.flatMap { service -> [AttributeObject] in
      guard let path = device.appending("service" + service.handle.hex(digits: 4)) else { return [] }
      let object = AttributeObject(
        path: path,
        interfaces: [
          .init(
            BlueZInterfaces.service,
            [
              ("UUID", .uuid(service.uuid)), ("Device", .objectPath(device)), ("Primary", .bool(true)),
              ("Includes", .array(element: "o", [])),
            ])
        ])
      return [object] + service.characteristics.flatMap { $0.objects(in: path, mtu: mtu) }
    }
  }
}

extension AttributeTable.Characteristic {
  fileprivate func objects(in service: ObjectPath, mtu: Int) -> [AttributeObject] {
    guard let path = service.appending(pathElement) else { return [] }
    var listed: [(String, DBusValue)] = [
      ("UUID", .uuid(uuid)), ("Service", .objectPath(service)), ("Value", .bytes([])),
    ]
    if properties.contains(.notify) { listed.append(("Notifying", .bool(false))) }
    listed += [("Flags", .strings(properties.flags)), ("MTU", .uint16(UInt16(clamping: mtu)))]
    var objects = [
      AttributeObject(
        path: path, interfaces: [.init(BlueZInterfaces.characteristic, listed)], lateBy: lateBy)
    ]
    for (handle, uuid) in descriptors {
      guard let below = path.appending("desc" + handle.hex(digits: 4)) else { continue }
      objects.append(
        AttributeObject(
          path: below,
          interfaces: [
            .init(
              BlueZInterfaces.descriptor,
              [
                ("UUID", .uuid(uuid)), ("Characteristic", .objectPath(path)),
                ("Value", .bytes([])),
              ])
          ], lateBy: lateBy))
    }
    return objects
  }
}

extension AttributeAccess {
  /// The values of `Flags`, in the order of the bits.
  var flags: [String] {
    [
      (Self.read, "read"), (.writeWithoutResponse, "write-without-response"), (.write, "write"),
      (.notify, "notify"),
    ].filter { contains($0.0) }.map(\.1)
  }
}

extension DBusValue {
  /// A UUID in BlueZ's form: complete, lower case.
  static func uuid(_ uuid: BluetoothUUID) -> DBusValue { .string(uuid.description.lowercased()) }
}
