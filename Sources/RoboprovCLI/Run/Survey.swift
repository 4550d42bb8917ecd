import Bluetooth
import Provisioning

/// Listening without doing anything about it.
struct Survey: Sendable {
  let central: any Central
  let clock: any TimeSource

  /// Listens for a time, or until it is cancelled, and returns what was heard.
  /// - Parameters:
  ///   - bound: How long; nil until cancelled.
  ///   - news: told of each device that is heard for the first time, or in another life than before.
  /// - Throws: why listening could not begin, or ended by itself.
  func listen(
    on adapter: AdapterID, for bound: Duration?, news: @escaping @Sendable (AirLedger.Sighting) -> Void
  ) async throws(CentralError) -> AirLedger {
    let ledger = Ledger()
    let failure = await withTaskGroup(of: CentralError?.self) { group in
      group.addTask {
        do throws(CentralError) {
          try await central.listen(on: adapter) { (advertisements) throws(CentralError) in
            for try await advertisement in advertisements {
              if let sighting = await ledger.hear(advertisement) { news(sighting) }
            }
          }
          return nil
        } catch {
          return error.code == .cancelled ? nil : error
        }
      }
      if let bound {
        group.addTask {
          try? await clock.sleep(for: bound)
          return nil
        }
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      return first
    }
    if let failure { throw failure }
    return await ledger.air
  }

  private actor Ledger {
    var air = AirLedger(profiles: DeviceProfiles.all)
    func hear(_ advertisement: Advertisement) -> AirLedger.Sighting? { air.hear(advertisement) }
  }
}
