import Glibc
import Host
package import Journal
import Reporting

/// The resources that only one run at a time may use on this machine.
package enum Claims {
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
  static let unknown = "its process and run are unknown"
}

extension LockHolder {
  /// Process, run and local time, for a person.
  fileprivate func words(_ times: LocalTime) -> String {
    "process \(process), run \(run), since \(times.instant(since))"
  }
}

extension LockHolder {
  package init(_ run: RunIdentity) {
    self.init(process: getpid(), run: run.id, since: run.began)
  }
}
