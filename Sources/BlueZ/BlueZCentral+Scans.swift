public import Bluetooth
import DBus
import Waiting

/// Discovery on an adapter that nothing of ours asked for.
///
/// BlueZ says that an adapter discovers, and not for whom. So another client is one that discovers while nothing of ours
/// does. Two things look the same and are not: BlueZ says a moment after our own stop that discovery has ended; and a
/// stop that BlueZ refused, or did not answer, leaves a discovery that is still ours (docs/bluez.md, trap 59).
struct ForeignScans {
  /// For how long an adapter must discover without us before another client is taken to scan with it.
  static let least = Duration.seconds(1)
  /// How long after our own stop BlueZ may go on saying that it discovers: up to 10 ms (recorded traces), but more than a
  /// second where the machine is busy (measured in an overloaded guest).
  static let echo = Duration.seconds(5)

  /// Since when an adapter discovers without anything of ours.
  private var since: [ObjectPath: MonotonicInstant] = [:]
  /// Where another client was found to scan. While we discover ourselves there is nothing to see, and it stays so.
  private var found: Set<ObjectPath> = []
  /// Adapters where a discovery of ours may go on though we have asked for its end.
  private var unstopped: Set<ObjectPath> = []
  /// When we last asked for the end of a discovery of ours.
  private var stoppedAt: [ObjectPath: MonotonicInstant] = [:]

  /// Takes in how an adapter stands now.
  mutating func note(_ path: ObjectPath, isDiscovering: Bool, isOurs: Bool, at now: MonotonicInstant) {
    if isSettled(path, at: now) { found.insert(path) }
    if !isDiscovering {
      unstopped.remove(path)
      found.remove(path)
    }
    if isDiscovering, !isOurs, !unstopped.contains(path) {
      since[path] = since[path] ?? now
    } else {
      since[path] = nil
    }
  }

  /// Our discovery on an adapter was asked to end.
  mutating func stopped(_ path: ObjectPath, wasCarriedOut: Bool, at now: MonotonicInstant) {
    stoppedAt[path] = now
    if wasCarriedOut { unstopped.remove(path) } else { unstopped.insert(path) }
  }

  /// Forgets all adapters but these.
  mutating func keep(_ paths: [ObjectPath]) {
    since = since.filter { paths.contains($0.key) }
    found.formIntersection(paths)
    unstopped.formIntersection(paths)
    stoppedAt = stoppedAt.filter { paths.contains($0.key) }
  }

  /// Whether another client scans with an adapter, as far as that is settled.
  func isScanning(_ path: ObjectPath, at now: MonotonicInstant) -> Bool {
    found.contains(path) || isSettled(path, at: now)
  }

  /// When it will be settled whether another client scans with an adapter; nil where that is known.
  func settles(_ path: ObjectPath, after now: MonotonicInstant) -> MonotonicInstant? {
    guard !found.contains(path), let settled = settled(path), settled > now else { return nil }
    return settled
  }

  /// When another client is taken to scan with an adapter, if it discovers until then.
  private func settled(_ path: ObjectPath) -> MonotonicInstant? {
    guard let since = since[path] else { return nil }
    let echo = stoppedAt[path]?.advanced(by: Self.echo) ?? since
    return max(since.advanced(by: Self.least), echo)
  }

  private func isSettled(_ path: ObjectPath, at now: MonotonicInstant) -> Bool {
    settled(path).map { $0 <= now } ?? false
  }
}

extension BlueZCentral {
  /// Holds what BlueZ says of discovery against what is ours.
  func scansChanged() {
    let adapters = tree.adapterPaths
    foreignScans.keep(adapters)
    for path in adapters {
      let isDiscovering =
        tree.properties(path, Name.Interface.adapter)?.flag(Name.Property.discovering) ?? false
      foreignScans.note(
        path, isDiscovering: isDiscovering, isOurs: discoveries[path] != nil, at: clock.now)
    }
    wake(Name.root)
  }

  /// Whether another client scans with an adapter. Waits until that is known, at most for `ForeignScans.echo`.
  func isScannedByOthers(_ path: ObjectPath) async -> Bool {
    while !Task.isCancelled, let settles = foreignScans.settles(path, after: clock.now) {
      let left = clock.now.duration(to: settles)
      _ = await race(left, on: clock) { await self.change(of: path) }
    }
    return foreignScans.isScanning(path, at: clock.now)
  }

  /// The programs that listen to BlueZ besides this one. BlueZ does not say who scans; who scans listens. The bus tells
  /// root alone who listens to what (docs/bluez.md, trap 60).
  public func scanningClients(on adapter: AdapterID) async -> [String] {
    let found = await connection.programs(listeningTo: Name.service, below: "/org/bluez")
    return found.map { "\($0.name) (pid \($0.id))" }
  }
}
