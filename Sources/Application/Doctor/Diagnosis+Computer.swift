import Model
import Reporting

/// Checks of the clock, the load, the reports directory and file permissions.
extension Diagnosis {
  static let computerChecks: [DoctorCheck<Diagnosis>] = [
    DoctorCheck("clock") { facts in
      facts.host.isClockSynchronised.finding("Whether a time server sets the clock is") { isSynchronised in
        guard !isSynchronised else { return Finding(.ok, "A time server sets the clock.") }
        return Finding(
          .warning, "No time server sets this computer's clock: times in the reports may be wrong.",
          command: "sudo timedatectl set-ntp true")
      }
    },
    DoctorCheck("load") { facts in
      facts.host.load.finding("This computer's load is") { load in
        guard load.average >= loadPerProcessor * Double(load.processors) else { return nil }
        let average = (load.average * 10).rounded() / 10
        return Finding(
          .note,
          "This computer is busy (load average \(average), \(load.processors.counted("processor"))): a run takes longer than its radio needs.",
          advice: "Close other programs that use the processor.")
      }
    },
    DoctorCheck("storage") { facts in
      guard let reports = facts.host.reports else { return nil }
      let path = reports.path.visible
      switch reports.access {
      case .writable: return Diagnosis.space(reports.free, in: path)
      case .noDirectory(let place):
        return Finding(
          .error, "This user cannot write reports to \(path): \(place.visible) is not a directory.",
          advice: "Name a directory with --reports DIR.")
      case .denied:
        return Finding(
          .error, "This user cannot write reports to \(path).",
          advice: "Name a directory with --reports DIR, or give yourself write permission:",
          command: "sudo chown -R $USER \(path.shellQuoted)")
      }
    },
    DoctorCheck(each: "file_mode") { facts in facts.host.files.map { Diagnosis.mode(of: $0) } },
  ]

  /// With this load a run takes a twentieth longer, with twice as much a tenth (docs/internals/performance.md).
  private static let loadPerProcessor = 4.0

  /// Limits in bytes. A run writes about 50 kB per room (journal, reports, logs), and lack of space must not
  /// end its record.
  private static let little: UInt64 = 200_000_000
  private static let none: UInt64 = 20_000_000

  private static func space(_ free: HostFact<UInt64>, in path: String) -> Finding? {
    free.finding("The free space for the reports is") { free in
      let space = free >= 1_000_000_000 ? "\(free / 1_000_000_000) GB" : "\(free / 1_000_000) MB"
      guard free < little else { return Finding(.ok, "Free space for the reports in \(path): \(space).") }
      return Finding(
        free < none ? .error : .warning,
        "Only \(space) are free for the reports in \(path): a run stops when it cannot write its record.",
        advice:
          "Free some space, or name another directory with --reports DIR. This lists the largest directories:",
        command: "du -xh --max-depth=2 ~ | sort -h | tail -20")
    }
  }

  private static func mode(of file: FileFacts) -> Finding {
    let path = file.path.visible
    let fix = "chmod 600 \(path.shellQuoted)"
    switch (file.role, file.mode) {
    case (.siteKey, nil):
      return Finding(.ok, about: path, "The site's key \(path) does not exist; the first run creates it.")
    case (.siteKey, let mode?):
      guard mode & 0o077 != 0 else {
        return Finding(.ok, about: path, "Only this user can read the site's key \(path).")
      }
      return Finding(
        .error, about: path, "Other users can use the site's key \(path), and with it search for passwords.",
        command: fix)
    case (.manifest, nil):
      return Finding(.note, about: path, "The permissions of \(path) are unknown: it is not a file.")
    case (.manifest(let hasPasswords), _):
      let (rights, secret) = (file.rightsOfOthers, hasPasswords ? ", which has passwords" : "")
      guard !rights.isEmpty else {
        let what = hasPasswords ? "read or change" : "change"
        return Finding(.ok, about: path, "Other users cannot \(what) \(path)\(secret).")
      }
      return Finding(
        .warning, about: path, "Other users can \(rights.joined(separator: " and ")) \(path)\(secret).",
        command: fix)
    }
  }
}
