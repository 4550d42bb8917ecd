package import Bluetooth
package import Engine
import FoundationEssentials
import Glibc
package import Journal
package import Model
import Reporting

/// The resources that only one run at a time may use on this machine.
package enum Claims {
  /// The directories for the locks of adapters. All users use the first one that every user can write to.
  static let directories = ["/run/lock", "/tmp"]

  /// Locks a building's record.
  /// - Throws: `CommandFailure` that names the run that holds the lock, and its start.
  package static func building(_ building: String, in reports: String, for run: RunIdentity) throws -> RunLock
  {
    do throws(RunLockRefusal) {
      return try RunLock.take(building: building, in: reports, for: LockHolder(run))
    } catch {
      switch error {
      case .unusable(let error): throw JournalMessages.failure(error)
      case .held(_, let path, let holder):
        throw CommandFailure(
          .unavailable, "another run works on \(building): \(holder?.words(.here) ?? unknown)",
          advice: "Wait until it is done, or end it with Ctrl-C where it runs. (Its lock is \(path).)")
      }
    }
  }

  /// Stands for a holder that left no readable line in the lock.
  fileprivate static let unknown = "its process and run are unknown"
}

extension LockHolder {
  /// Process, run and local time, for a person.
  fileprivate func words(_ times: LocalTime) -> String {
    "process \(process), run \(run), since \(times.instant(since))"
  }
}

/// The adapters that a run has locked, each until the end of the run.
package actor AdapterClaims {
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
        adapter: Self.name(of: adapter.id), in: Claims.directories, for: holder)
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

extension LockHolder {
  package init(_ run: RunIdentity) {
    self.init(process: getpid(), run: run.id, since: run.began)
  }
}
