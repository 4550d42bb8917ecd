package import Bluetooth
package import Model
package import Session

extension FamilyDriver {
  /// The driver of a family whose GATT session is data.
  /// - Parameter prepare: what the session does once the device's status says that it is ready, before it reads and
  ///   writes.
  package init(
    described family: DeviceFamily, listNetworks: ListNetworks? = nil,
    prepare: @escaping @Sendable (DeviceSession, any Peripheral) async throws(AttemptFailure) -> Void = {
      (_, _) throws(AttemptFailure) in
    }
  ) {
    guard let procedure = family.procedure else {
      preconditionFailure("the family \(family.id) has no procedure")
    }
    self.init(
      family,
      configure: { (session) throws(AttemptFailure) in
        try await carryOut(session, by: procedure, family, prepare)
      }, listNetworks: listNetworks, readLabel: Self.readLabel(of: family))
  }

  /// A label with the device's name, which begins as the family's rules say; nil for a family whose devices are not recognised
  /// by the beginning of their names.
  private static func readLabel(of family: DeviceFamily) -> ReadLabel? {
    if family.namePrefixes.isEmpty { return nil }
    return { (text) throws(ProductLabelProblem) in ProductLabel(name: text, of: family) }
  }
}

extension ProductLabel {
  /// A label with only the name of a device, which begins as the family's rules say; nil for any other text.
  init?(name text: String, of family: DeviceFamily) {
    guard family.namePrefixes.contains(where: { text.hasPrefix($0) && text != $0 }),
      BluetoothAddress(text) == nil, DeviceReference.violation(ofName: text) == nil
    else { return nil }
    self.init(name: text, secrets: [:])
  }
}

extension DeviceFamily {
  /// The beginnings of names by which its devices are recognised.
  fileprivate var namePrefixes: [String] {
    recognition.flatMap(\.conditions).compactMap { condition in
      if case .namePrefix(let prefix) = condition { prefix } else { nil }
    }
  }
}

/// Carries out a procedure. The proof on air is not part of it.
private func carryOut(
  _ session: DeviceSession, by procedure: Procedure, _ family: DeviceFamily,
  _ prepare: @Sendable (DeviceSession, any Peripheral) async throws(AttemptFailure) -> Void
) async throws(AttemptFailure) -> Submission {
  var required = family.written.map { (service: $0.service, uuid: $0.uuid) }
  if let save = procedure.save { required.append((save.service, save.characteristic)) }
  if let status = procedure.status { required.append((status.service, status.characteristic)) }
  if let unlock = procedure.unlock { required.append((unlock.code.service, unlock.uuid)) }
  let link = try await session.connect()
  let services = try await session.stage(.discover) { [required] () throws(CentralError) in
    var found: [RemoteService] = []
    for service in family.services {
      let own = required.filter { $0.service ?? family.service == service }.map(\.uuid)
      found.append(try await link.discover(service, requiring: own))
    }
    return found
  }
  let work = ProcedureSession(procedure, family, session, link, services)
  guard let rule = procedure.status else { return try await work.apply(nil) }
  let characteristic = try work.find(rule.characteristic)
  return try await session.withStatusFeed { (feed) throws(AttemptFailure) in
    let status = StatusFollower(rule, characteristic, session, link, feed)
    try await status.waitUntilReady()
    try await prepare(session, link)
    return try await work.apply(status.fromNow)
  }
}
