import Model
import Reporting

/// Findings about the clock, the reports directory and file permissions.
extension Diagnosis {
  var computer: [Finding] { [clock, storage].compactMap(\.self) + files }

  var clock: Finding {
    switch host.isClockSynchronised {
    case .known(true): Finding(.clock, .ok, "A time server sets the clock.")
    case .known(false):
      Finding(
        .clock, .warning, "No time server sets this computer's clock: times in the reports may be wrong.",
        command: "sudo timedatectl set-ntp true")
    case .unknown(let why):
      Finding(.clock, .note, "Whether a time server sets the clock is unknown: \(why).")
    }
  }

  /// Limits in bytes. A run writes about 50 kB per room (journal, reports, logs), and lack of space must not
  /// end its record.
  private static let little: UInt64 = 200_000_000
  private static let none: UInt64 = 20_000_000

  var storage: Finding? {
    guard let reports = host.reports else { return nil }
    let path = reports.path.visible
    switch reports.access {
    case .writable: break
    case .noDirectory(let place):
      return Finding(
        .storage, .error, "This user cannot write reports to \(path): \(place.visible) is not a directory.",
        advice: "Name a directory with --reports DIR.")
    case .denied:
      return Finding(
        .storage, .error, "This user cannot write reports to \(path).",
        advice: "Name a directory with --reports DIR, or give yourself write permission:",
        command: "sudo chown -R $USER \(path.shellQuoted)")
    }
    switch reports.free {
    case .unknown(let why):
      return Finding(.storage, .note, "The free space for the reports is unknown: \(why).")
    case .known(let free):
      let space = free >= 1_000_000_000 ? "\(free / 1_000_000_000) GB" : "\(free / 1_000_000) MB"
      guard free < Self.little else {
        return Finding(.storage, .ok, "Free space for the reports in \(path): \(space).")
      }
      return Finding(
        .storage, free < Self.none ? .error : .warning,
        "Only \(space) are free for the reports in \(path): a run stops when it cannot write its record.",
        advice:
          "Free some space, or name another directory with --reports DIR. This lists the largest directories:",
        command: "du -xh --max-depth=2 ~ | sort -h | tail -20")
    }
  }

  private var files: [Finding] {
    host.files.map { file in
      let path = file.path.visible
      let fix = "chmod 600 \(path.shellQuoted)"
      switch (file.role, file.mode) {
      case (.siteKey, nil):
        return Finding(
          .fileMode, .ok, about: path, "The site's key \(path) does not exist; the first run creates it.")
      case (.siteKey, let mode?) where mode & 0o077 != 0:
        return Finding(
          .fileMode, .error, about: path,
          "Other users can use the site's key \(path), and with it search for passwords.",
          command: fix)
      case (.manifest(let hasPasswords), .some):
        let rights = file.rightsOfOthers
        guard !rights.isEmpty else {
          let what = hasPasswords ? "read or change \(path), which has passwords" : "change \(path)"
          return Finding(.fileMode, .ok, about: path, "Other users cannot \(what).")
        }
        return Finding(
          .fileMode, .warning, about: path,
          "Other users can \(rights.joined(separator: " and ")) \(path)\(hasPasswords ? ", which has passwords" : "").",
          command: fix)
      case (.manifest, nil):
        return Finding(
          .fileMode, .note, about: path, "The permissions of \(path) are unknown: it is not a file.")
      case (.siteKey, _):
        return Finding(.fileMode, .ok, about: path, "Only this user can read the site's key \(path).")
      }
    }
  }
}
