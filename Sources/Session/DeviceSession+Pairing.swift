import Bluetooth
import Model
import Waiting

extension DeviceSession {
  /// How long pairing may take from the link on (`Central.connect`).
  private static let pairingLimit = Duration.seconds(60)

  /// Stage `connect` with a device that is paired. The bond is on record before it is made. The link has the time that it
  /// has for other devices; pairing has its own.
  func pair(by method: Pairing.Method) async throws(AttemptFailure) -> any Peripheral {
    let (central, address, adapter, linked, clock) = (central, address, adapter, linked, clock)
    let (coordinator, timeout) = (coordinator, room.timeouts.connect)
    let intent = Fact.bondIntended(
      .init(
        room: room.id, attempt: attempt, address: address, adapter: adapter, isKept: room.family.keepsBond))
    let pairing = Pairing(method) { () async throws(CentralError) in
      do throws(RecordFailure) {
        try await coordinator.commit(intent)
      } catch {
        throw CentralError(.cancelled, stackText: "the bond cannot be recorded")
      }
    }
    let isLinked = OneShot<Void>()
    do throws(AttemptFailure) {
      return try await stage(.connect, adding: Self.pairingLimit) {
        () async throws(CentralError) -> any Peripheral in
        try await race {
          () async throws(CentralError) -> any Peripheral in
          do throws(CentralError) {
            return try await central.connect(to: address, on: adapter, pairing: pairing) {
              isLinked.fulfill()
              linked()
            }
          } catch {
            if error.code == .pairing(.bondExists) {
              coordinator.note(.bondRemoved(.init(address: address, adapter: adapter)))
            }
            throw error
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
}
