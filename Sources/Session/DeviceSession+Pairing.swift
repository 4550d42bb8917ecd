import Bluetooth
import Model
import Waiting

extension DeviceSession {
  /// How long pairing may take from the link on (`Central.connect`).
  private static let pairingLimit = Duration.seconds(60)

  /// Stage `connect` with a device that is paired. The link has the time that it has for other devices; pairing has its own.
  func pair(by method: Pairing.Method) async throws(AttemptFailure) -> any Peripheral {
    let (clock, linked) = (clock, linked)
    let timeout = room.timeouts.connect + (await hostDelay)
    let isLinked = OneShot<Void>()
    do throws(AttemptFailure) {
      return try await stage(.connect, adding: Self.pairingLimit) {
        () async throws(CentralError) -> any Peripheral in
        try await race {
          () async throws(CentralError) -> any Peripheral in
          try await self.connectPaired(by: method) {
            isLinked.fulfill()
            linked()
          }
        } against: {
          let isOver = (try? await clock.sleep(for: timeout)) != nil
          return isOver && isLinked.peeked == nil ? CentralError(.timedOut, stackText: "no link") : nil
        }
      }
    } catch {
      guard error.reason.code == .passkeyRefused else { throw error }
      // The secret's source tells people where to look.
      throw AttemptFailure(
        .passkeyRefused(error.reason[\.step], source: room.origins[.passkey]?.written))
    }
  }

  /// Connects over an encrypted link. A new bond is on record before it is made, and as kept only once it is: until then
  /// another device may have made it, without the passkey.
  private func connectPaired(
    by method: Pairing.Method, _ linked: @escaping @Sendable () -> Void
  ) async throws(CentralError) -> any Peripheral {
    let (coordinator, address, adapter) = (coordinator, address, adapter)
    let bond = BondRemoved(address: address, adapter: adapter)
    // How a bond of an attempt before was made is unknown.
    if method != .justWorks, coordinator.mayHaveBond(with: address, on: adapter),
      try await central.forget(address, on: adapter, removingBond: true)
    {
      coordinator.note(.bondRemoved(bond))
    }
    let isIntended = OneShot<Void>()
    let intent = intended()
    let pairing = Pairing(
      method,
      trustsBond: hasProtectedBond || coordinator.hasProtectedBond(with: address, on: adapter)
    ) { () async throws(CentralError) in
      try await Self.record(intent, by: coordinator)
      isIntended.fulfill()
    }
    let link: any Peripheral
    do throws(CentralError) {
      link = try await central.connect(to: address, on: adapter, pairing: pairing, linked: linked)
    } catch {
      // What bond there is, or will be, is another program's.
      if isIntended.peeked != nil, error.code == .pairing(.bondExists) || error.code == .busy {
        coordinator.note(.bondRemoved(bond))
      }
      throw error
    }
    guard room.family.keepsBond, isIntended.peeked != nil else { return link }
    do throws(CentralError) {
      try await Self.record(intended(isKept: true, isProtected: method != .justWorks), by: coordinator)
    } catch {
      await link.disconnect()
      throw error
    }
    return link
  }

  private func intended(isKept: Bool = false, isProtected: Bool = false) -> Fact {
    .bondIntended(
      .init(
        room: room.id, attempt: attempt, address: address, adapter: adapter, isKept: isKept,
        isProtected: isProtected))
  }

  private static func record(_ fact: Fact, by coordinator: Coordinator) async throws(CentralError) {
    do throws(RecordFailure) {
      try await coordinator.commit(fact)
    } catch {
      throw CentralError(.cancelled, stackText: "the bond cannot be recorded")
    }
  }
}
