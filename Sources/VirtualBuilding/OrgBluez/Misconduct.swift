public import DBus

/// How a virtual `org.bluez` misbehaves, in ways that no real bluetoothd does: tests show how a client copes with it.
public struct Misconduct: Sendable {
  /// What happens instead of the correct answer.
  public enum Act: Hashable, Sendable {
    /// The call is refused; nothing is done.
    case refuse(name: String, text: String)
    /// Nothing is done; the answer has this body, which may be of any type.
    case answer([DBusValue])
    /// The call is carried out; the answer has this body, which may be of any type.
    case obey([DBusValue])
    /// Nothing is done, and there is no answer while the connection stands.
    case ignore
    /// The call is carried out after a while.
    case delay(Duration)
    /// The object that was called is removed, with all below it; then the call is carried out.
    case vanish
    /// Signals with wrong types, and of objects that do not exist, precede the correct answer.
    case mislead
  }

  /// What happens to a call, by its member and its number in the daemon's life, from 1; nil: it is answered correctly.
  let act: @Sendable (_ member: String, _ number: Int) -> Act?

  /// Misconduct by this rule.
  public init(_ act: @escaping @Sendable (_ member: String, _ number: Int) -> Act?) {
    self.act = act
  }
}

extension BluetoothDaemon {
  /// Answers a call, unless misconduct is in the way.
  func answerOrMisbehave(_ call: MethodCall) async -> Result<[DBusValue], DBusError> {
    guard let misconduct else { return await answer(call) }
    calls += 1
    switch misconduct.act(call.member.text, calls) {
    case nil: return await answer(call)
    case .refuse(let name, let text)?: return .failure(.remote(name, text))
    case .answer(let body)?: return .success(body)
    case .obey(let body)?: return await answer(call).map { _ in body }
    case .ignore?:
      await pause(.seconds(86_400))
      return .failure(BlueZFailure.failed("ended"))
    case .delay(let duration)?:
      await pause(duration)
      return await answer(call)
    case .vanish?:
      tree.remove(call.path)
      tell()
      return await answer(call)
    case .mislead?:
      mislead(about: call.path)
      return await answer(call)
    }
  }

  private func mislead(about path: ObjectPath) {
    let device = BlueZInterfaces.device.text
    let wrong: DBusValue = .vardict([
      ("Connected", .string("yes")), ("RSSI", .string("loud")), ("ServicesResolved", .int16(-1)),
      ("UUIDs", .bytes([0xFF])), ("ManufacturerData", .vardict([("76", .string("x"))])),
      ("Address", .bool(true)),
      ("Powered", .string("no")), ("Value", .string("provisioned")),
    ])
    let nobody: ObjectPath = "/org/bluez/hci0/dev_FF_FF_FF_FF_FF_FF/service0000/char0000"
    let signals = [
      DBus.Signal(
        path: path, interface: BlueZInterfaces.properties, member: "PropertiesChanged",
        body: [.string(device), wrong, .strings([])]),
      DBus.Signal(
        path: nobody, interface: BlueZInterfaces.properties, member: "PropertiesChanged",
        body: [.string(device), wrong, .strings([])]),
      DBus.Signal(
        path: path, interface: BlueZInterfaces.properties, member: "PropertiesChanged", body: [.bool(true)]),
      DBus.Signal(
        path: "/", interface: BlueZInterfaces.objectManager, member: "InterfacesAdded",
        body: [.objectPath(nobody), .string(device)]),
      DBus.Signal(
        path: "/", interface: BlueZInterfaces.objectManager, member: "InterfacesRemoved",
        body: [.objectPath(nobody), .strings([device])]),
    ]
    connection.assumeIsolated { connection in
      for signal in signals { try? connection.emit(signal) }
    }
  }
}
