package import Bluetooth
import DBus
import Waiting

/// Scans by other clients.
///
/// BlueZ reports that an adapter is discovering, but not for which client. So another client scans if the
/// adapter is discovering and this client is not. There are two exceptions. BlueZ reports the end of this
/// client's discovery late, or never (docs/internals/bluez.md, trap 59): until then only a report of a device is a sign of
/// another client, because none follows BlueZ's reply to the stop. And a stop that BlueZ refused or did not confirm leaves a
/// discovery of this client running.
struct ForeignScans {
  /// How long an adapter must be discovering without this client until another client is assumed to scan.
  static let least = Duration.seconds(1)
  /// How long after this client's stop BlueZ may still report discovery: up to 10 ms (recorded traces), but
  /// more than 1 s on a busy machine (measured in an overloaded guest).
  static let echo = Duration.seconds(5)

  /// Since when an adapter has been discovering without this client.
  private var since: [ObjectPath: MonotonicInstant] = [:]
  /// Adapters with which another client scans. During this client's own discovery nothing can be observed,
  /// and the last result stays.
  private var found: Set<ObjectPath> = []
  /// Adapters on which a discovery of this client may continue although its stop was requested.
  private var unstopped: Set<ObjectPath> = []
  /// When a discovery of this client was last asked to stop.
  private var stoppedAt: [ObjectPath: MonotonicInstant] = [:]
  /// Adapters of which BlueZ has yet to report the end of this client's discovery, and that have reported no device
  /// since the stop.
  private var unended: Set<ObjectPath> = []
  /// Adapters of another host on which a discovery has gone on since this client connected. A gateway keeps the discovery of a
  /// lost connection, so it may be one of this program: no report of a device is a sign of another.
  private var inherited: Set<ObjectPath> = []

  /// Records the state of an adapter.
  mutating func note(_ path: ObjectPath, isDiscovering: Bool, isOurs: Bool, at now: MonotonicInstant) {
    if isSettled(path, at: now) { found.insert(path) }
    if !isDiscovering {
      unstopped.remove(path)
      unended.remove(path)
      inherited.remove(path)
      found.remove(path)
    }
    if isDiscovering, !isOurs, !unstopped.contains(path) {
      since[path] = since[path] ?? now
    } else {
      since[path] = nil
    }
  }

  /// Records a report of a device.
  mutating func reported(_ path: ObjectPath) {
    if since[path] != nil { unended.remove(path) }
  }

  /// Whether there is any other sign of another client than that BlueZ has not reported the end of this client's
  /// discovery.
  func hasSign(_ path: ObjectPath) -> Bool {
    (found.contains(path) || since[path] != nil) && !unended.contains(path) && !inherited.contains(path)
  }

  /// Records that an adapter of another host was discovering when this client connected.
  mutating func inherit(_ path: ObjectPath) { inherited.insert(path) }

  /// Records that this client's discovery on an adapter was asked to stop.
  mutating func stopped(_ path: ObjectPath, wasCarriedOut: Bool, at now: MonotonicInstant) {
    stoppedAt[path] = now
    unended.insert(path)
    if wasCarriedOut { unstopped.remove(path) } else { unstopped.insert(path) }
  }

  /// Whether this client has not stopped any discovery on an adapter yet.
  func isFirst(_ path: ObjectPath) -> Bool { stoppedAt[path] == nil }

  /// Removes all adapters except these.
  mutating func keep(_ paths: [ObjectPath]) {
    since = since.filter { paths.contains($0.key) }
    found.formIntersection(paths)
    unended.formIntersection(paths)
    inherited.formIntersection(paths)
    unstopped.formIntersection(paths)
    stoppedAt = stoppedAt.filter { paths.contains($0.key) }
  }

  /// Whether another client is known to scan with an adapter.
  func isScanning(_ path: ObjectPath, at now: MonotonicInstant) -> Bool {
    found.contains(path) || isSettled(path, at: now)
  }

  /// When it will be known whether another client scans with an adapter; nil if it is known.
  func settles(_ path: ObjectPath, after now: MonotonicInstant) -> MonotonicInstant? {
    guard !found.contains(path), let settled = settled(path), settled > now else { return nil }
    return settled
  }

  /// When another client is assumed to scan with an adapter that is still discovering then.
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
  /// Compares the discovery that BlueZ reports with this client's own.
  func scansChanged() {
    let adapters = tree.adapterPaths
    foreignScans.keep(adapters)
    for path in adapters {
      foreignScans.note(
        path, isDiscovering: isDiscovering(path), isOurs: discoveries[path] != nil, at: clock.now)
    }
    wake(Name.root)
  }

  /// Whether BlueZ reports that an adapter is discovering, for any client.
  func isDiscovering(_ path: ObjectPath) -> Bool {
    tree.properties(path, Name.Interface.adapter)?.flag(Name.Property.discovering) ?? false
  }

  /// Whether another client scans with an adapter. Waits until that is known, at most for
  /// `ForeignScans.echo`.
  func isScannedByOthers(_ path: ObjectPath) async -> Bool {
    while !Task.isCancelled, let settles = foreignScans.settles(path, after: clock.now) {
      let left = clock.now.duration(to: settles)
      _ = await race(left, on: clock) { await self.change(of: path) }
    }
    return foreignScans.isScanning(path, at: clock.now)
  }

  /// The other programs that use BlueZ's signals of an adapter. BlueZ does not report which client scans, but a scanning client
  /// uses them, unless it is a simple script. The bus reports that only to root (docs/internals/bluez.md, trap 60). Without
  /// such a program the client is unknown, or there is none if nothing is a sign of one.
  package func scanningClients(on adapter: AdapterID) async -> [String]? {
    guard let path = tree.path(of: adapter) else { return [] }
    let programs = await connection.programs(scanning: Name.service, about: path) ?? []
    guard programs.isEmpty else { return programs.map { "\($0.name) (pid \($0.id))" } }
    // The reply follows all that BlueZ has signalled so far. Without one nothing is proved.
    guard (try? await call(Name.root, Name.Interface.peer, Name.Member.ping)) != nil else { return [] }
    return foreignScans.hasSign(path) ? nil : []
  }
}
