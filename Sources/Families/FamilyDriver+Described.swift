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
    let prefixes = family.recognition.flatMap(\.conditions).compactMap { condition in
      if case .namePrefix(let prefix) = condition { prefix } else { nil }
    }
    if prefixes.isEmpty { return nil }
    return { (text) throws(ProductLabelProblem) in
      guard prefixes.contains(where: { text.hasPrefix($0) && text != $0 }), BluetoothAddress(text) == nil,
        DeviceReference.violation(ofName: text) == nil
      else { return nil }
      return ProductLabel(name: text, secrets: [:])
    }
  }
}

/// Carries out a procedure. The proof on air is not part of it.
private func carryOut(
  _ session: DeviceSession, by procedure: Procedure, _ family: DeviceFamily,
  _ prepare: @Sendable (DeviceSession, any Peripheral) async throws(AttemptFailure) -> Void
) async throws(AttemptFailure) -> Submission {
  let required =
    family.written.map(\.uuid)
    + [procedure.save?.characteristic, procedure.status?.characteristic].compactMap(\.self)
  let link = try await session.connect()
  let service = try await session.stage(.discover) { () throws(CentralError) in
    try await link.discover(family.service, requiring: required)
  }
  let work = ProcedureSession(procedure, family, session, link, service)
  guard let rule = procedure.status else { return try await work.apply(nil) }
  let characteristic = try work.find(rule.characteristic)
  return try await session.withStatusFeed { (feed) throws(AttemptFailure) in
    let status = StatusFollower(rule, characteristic, session, link, feed)
    try await status.waitUntilReady()
    try await prepare(session, link)
    return try await work.apply(status.fromNow)
  }
}
