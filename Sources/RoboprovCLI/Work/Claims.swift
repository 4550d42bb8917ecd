import Bluetooth
import Engine
import FoundationEssentials
import Glibc
import Journal
import Reporting

/// What one run at a time may have on this machine.
enum Claims {
  /// Where adapters are claimed, among all users: the first that belongs to everybody.
  static let directories = ["/run/lock", "/tmp"]

  /// Takes a building's record.
  /// - Throws: `CommandFailure` that says which run has it, and since when.
  static func building(_ building: String, in reports: String, for run: RunIdentity) throws -> RunLock {
    do throws(RunLockRefusal) {
      return try RunLock.take(building: building, in: reports, for: LockHolder(run))
    } catch {
      switch error {
      case .unusable(let error): throw JournalMessages.failure(error)
      case .held(_, let path, let holder):
        throw CommandFailure(
          .unavailable, "another run works on \(building): \(holder?.words(.here) ?? unknown)",
          cure: "Wait until it is done, or end it with Ctrl-C where it runs. (Its lock is \(path).)")
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

/// The adapters that a run has taken, each until it ends.
actor AdapterClaims {
  private let holder: LockHolder
  private var locks: [AdapterID: RunLock] = [:]

  init(_ run: RunIdentity) {
    holder = LockHolder(run)
  }

  /// Takes an adapter, or says who has it. Where nothing can be locked that is told, and nobody is kept out.
  func take(_ adapter: Adapter) -> AdapterClaim {
    if locks[adapter.id] != nil { return .granted }
    do throws(RunLockRefusal) {
      locks[adapter.id] = try RunLock.take(
        adapter: Self.name(of: adapter.id), in: Claims.directories, for: holder)
      return .granted
    } catch {
      switch error {
      case .held(_, _, let other): return .refused(other?.description ?? Claims.unknown)
      case .unusable(let error):
        Console.say("roboprov: warning: nothing keeps a second run from this adapter: \(error)")
        return .granted
      }
    }
  }

  /// Its address; on a bus of its own (a virtual building) another adapter may have the same.
  private static func name(of adapter: AdapterID) -> String {
    let address = adapter.description.replacing(":", with: "")
    guard let bus = HostEnvironment.systemBusAddress else { return address }
    return address + "-" + HostEnvironment.sha256(Array(bus.utf8)).prefix(8)
  }
}

extension LockHolder {
  init(_ run: RunIdentity) {
    self.init(process: getpid(), run: run.id, since: run.began)
  }
}
