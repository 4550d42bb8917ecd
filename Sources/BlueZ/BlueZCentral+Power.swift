package import Bluetooth
import DBus
import Waiting

extension BlueZCentral {
  /// The time limit for switching an adapter off, and for switching it on. Each takes 30 to 130 ms (recorded
  /// traces).
  static let powerLimit = Duration.seconds(5)

  /// Switches an adapter off and on again with its property `Powered`. This, or a restart of bluetoothd, is
  /// the only remedy when bluetoothd has lost track of an adapter's discovery (docs/internals/bluez.md, trap 59).
  /// - Throws: `permissionDenied`, `busy`, `adapterUnavailable`, `timedOut`, `cancelled`, `busUnavailable`,
  ///   `stackUnavailable`.
  package func powerCycle(_ adapter: AdapterID) async throws(CentralError) {
    let path = try await readyAdapter(adapter)
    if let reason = try await useOfOthers(path) { throw CentralError(.busy, stackText: reason) }
    guard !Task.isCancelled else { throw CentralError(.cancelled) }
    // Shielded, so that a cancelled task does not leave the adapter off.
    if let error = await shielded({ await self.switchOffAndOn(path) }) { throw explained(error, on: path) }
  }

  /// Describes the use of an adapter that forbids switching it off; nil if there is none.
  private func useOfOthers(_ path: ObjectPath) async throws(CentralError) -> String? {
    if await isScannedByOthers(path), let adapter = tree.adapter(at: path)?.id,
      await scanningClients(on: adapter)?.isEmpty != true
    {
      return "another client scans with the adapter"
    }
    let links = linkCount(on: path)
    if links > 0 { return "the adapter holds \(links) \(links == 1 ? "link" : "links")" }
    if attempts.keys.contains(where: { $0.parent == path }) { return "a connection is being made" }
    return nil
  }

  private func switchOffAndOn(_ path: ObjectPath) async -> CentralError? {
    let off = await setPowered(false, path)
    // A refused call has changed nothing. After a timeout the state is unknown.
    if let off, off.code != .timedOut { return off }
    return await setPowered(true, path) ?? off
  }

  /// Sets `Powered` and waits until BlueZ reports the new value. BlueZ refuses (`Busy`) while an earlier
  /// change is in progress.
  private func setPowered(_ isPowered: Bool, _ path: ObjectPath) async -> CentralError? {
    let end = clock.now.advanced(by: Self.powerLimit)
    while true {
      let left = clock.now.duration(to: end)
      guard left > .zero else { return CentralError(.timedOut, stackText: "Powered was not changed in time") }
      do throws(CentralError) {
        _ = try await call(
          path, Name.Interface.properties, Name.Member.set,
          [
            .string(Name.Interface.adapter.text), .string(Name.Property.powered), .variant(.bool(isPowered)),
          ], timeout: left)
        return await powerIs(isPowered, path, until: end)
      } catch  where error.code == .busy {
        try? await clock.sleep(for: .milliseconds(250))
      } catch {
        return error
      }
    }
  }

  /// Waits until BlueZ reports that an adapter is powered, or is not.
  private func powerIs(
    _ isPowered: Bool, _ path: ObjectPath, until end: MonotonicInstant
  ) async -> CentralError? {
    _ = await race(clock.now.duration(to: end), on: clock) {
      while await self.power(path) == !isPowered, !Task.isCancelled { await self.change(of: path) }
    }
    switch power(path) {
    case isPowered: return nil
    case nil: return CentralError(.adapterUnavailable(.absent))
    default: return CentralError(.timedOut, stackText: "BlueZ did not signal that Powered is \(isPowered)")
    }
  }

  /// Whether an adapter is powered; nil if it does not exist.
  private func power(_ path: ObjectPath) -> Bool? {
    tree.properties(path, Name.Interface.adapter)?.flag(Name.Property.powered)
  }
}
