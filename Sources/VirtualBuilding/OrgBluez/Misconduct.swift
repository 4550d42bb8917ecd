package import DBus

/// Misbehaviour of a virtual `org.bluez` that no real bluetoothd shows, to test the robustness of clients.
package struct Misconduct: Sendable {
  /// What happens instead of the correct reply.
  package enum Act: Hashable, Sendable {
    /// The call is refused without effect.
    case refuse(name: String, text: String)
    /// The call has no effect; the reply has this body, of any type.
    case answer([DBusValue])
    /// The call is carried out; the reply has this body, of any type.
    case obey([DBusValue])
    /// The call has no effect and gets no reply.
    case ignore
    /// The call is carried out after a delay.
    case delay(Duration)
    /// The called object and everything below it are removed; then the call is carried out.
    case vanish
    /// Signals with wrong types and signals of non-existing objects precede the correct reply.
    case mislead
  }

  /// Selects the act for a call by its member and its number since the start of the daemon, from 1; nil for
  /// the correct reply.
  package let act: @Sendable (_ member: String, _ number: Int) -> Act?

  package init(_ act: @escaping @Sendable (_ member: String, _ number: Int) -> Act?) {
    self.act = act
  }
}

extension BluetoothDaemon {
  /// Carries out a call, subject to misconduct.
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
      emit()
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
    emit(signals)
  }
}
