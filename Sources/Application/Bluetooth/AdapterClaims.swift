package import Bluetooth
package import Engine
import Host
import Journal
package import Model
import Reporting

/// The adapters that a run has locked, each until the end of the run.
package actor AdapterClaims {
  /// The directories for the locks of adapters. All users use the first one that every user can write to.
  static let directories = ["/run/lock", "/tmp"]

  private let holder: LockHolder
  private let hosts: [HostDescription]
  private var locks: [AdapterID: RunLock] = [:]
  private var remote: [AdapterID: RemoteLock] = [:]

  /// - Parameter hosts: The other hosts of adapters.
  package init(_ run: RunIdentity, _ hosts: [HostDescription] = []) {
    holder = LockHolder(run)
    self.hosts = hosts
  }

  /// Locks an adapter, or names the run that has it.
  package func take(_ adapter: Adapter) async -> AdapterClaim {
    if let host = hosts.first(where: { $0.name == adapter.id.host }) {
      return await take(adapter, on: host)
    }
    if locks[adapter.id] != nil { return .granted }
    do throws(RunLockRefusal) {
      locks[adapter.id] = try RunLock.take(
        adapter: Self.name(of: adapter.id), in: Self.directories, for: holder)
      return .granted
    } catch {
      switch error {
      case .held(_, _, let other): return .refused(other?.description ?? Claims.unknown)
      case .unusable(let error):
        return .unlocked(reason: "\(error)")
      }
    }
  }

  /// Locks an adapter for a use without a record, and warns if it could not be locked.
  package func takeUnrecorded(_ adapter: Adapter) async -> AdapterClaim {
    let claim = await take(adapter)
    if case .unlocked(let reason) = claim {
      Messages.say("roboprov: warning: \(AdapterFault.noLock(on: adapter.name)) (\(reason.visible))")
    }
    return claim
  }

  /// Locks an adapter on its host, again if the connection that held the lock was lost.
  private func take(_ adapter: Adapter, on host: HostDescription) async -> AdapterClaim {
    if remote[adapter.id]?.isHeld == true { return .granted }
    do throws(RemoteLock.Refusal) {
      remote[adapter.id] = try await RemoteLock.take(adapter.id, on: host, for: holder)
    } catch {
      switch error {
      case .held(let other): return .refused(other?.description ?? Claims.unknown)
      case .unusable(let reason):
        return .unlocked(reason: OutsideWords.quoted(reason))
      }
    }
    return .granted
  }

  /// The lock's name: the adapter's address. On a private bus (a virtual building) an adapter may have the
  /// same address as a real one, so the name then includes the bus.
  private static func name(of adapter: AdapterID) -> String {
    let address = adapter.description.replacing(":", with: "")
    guard let bus = HostEnvironment.systemBusAddress else { return address }
    return address + "-" + HostEnvironment.sha256(Array(bus.utf8)).prefix(8)
  }
}
