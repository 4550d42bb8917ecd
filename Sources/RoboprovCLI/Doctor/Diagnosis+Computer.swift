import Model
import Reporting

/// The clock, the place of the reports, and files.
extension Diagnosis {
  var computer: [Finding] { clock + storage + files }

  var clock: [Finding] {
    switch host.isClockSynchronised {
    case .known(true): [Finding(.clock, .ok, "A time server sets the clock.")]
    case .known(false):
      [
        Finding(
          .clock, .warning, "No time server sets this computer's clock: times in the reports may be wrong.",
          command: "sudo timedatectl set-ntp true")
      ]
    case .unknown(let why):
      [Finding(.clock, .note, "Whether a time server sets the clock is unknown: \(why).")]
    }
  }

  /// A run needs some 50 kB a room in journal, reports and logs; its record must not end for want of space.
  private static let little: UInt64 = 200_000_000
  private static let none: UInt64 = 20_000_000

  var storage: [Finding] {
    guard let reports = host.reports else { return [] }
    let path = reports.path.visible
    switch reports.access {
    case .writable: break
    case .noDirectory(let place):
      return [
        Finding(
          .storage, .error, "This user cannot write reports to \(path): \(place.visible) is no directory.",
          advice: "Name a directory with --reports DIR.")
      ]
    case .denied:
      return [
        Finding(
          .storage, .error, "This user cannot write reports to \(path).",
          advice: "Name a directory with --reports DIR, or give yourself the right:",
          command: "sudo chown -R $USER \(path.shellQuoted)")
      ]
    }
    switch reports.free {
    case .unknown(let why):
      return [Finding(.storage, .note, "The free space for the reports is unknown: \(why).")]
    case .known(let free):
      let space = free >= 1_000_000_000 ? "\(free / 1_000_000_000) GB" : "\(free / 1_000_000) MB"
      guard free < Self.little else {
        return [Finding(.storage, .ok, "\(space) are free for the reports in \(path).")]
      }
      return [
        Finding(
          .storage, free < Self.none ? .error : .warning,
          "Only \(space) are free for the reports in \(path): a run ends when its record cannot be written.",
          advice: "Free some, or name a directory elsewhere with --reports DIR. This shows what is large:",
          command: "du -xh --max-depth=2 ~ | sort -h | tail -20")
      ]
    }
  }

  private var files: [Finding] {
    host.files.map { file in
      let path = file.path.visible
      let fix = "chmod 600 \(path.shellQuoted)"
      switch (file.role, file.mode) {
      case (.siteKey, nil):
        return Finding(
          .fileMode, .ok, about: path, "The site's key \(path) does not exist; the first run makes it.")
      case (.siteKey, let mode?) where mode & 0o077 != 0:
        return Finding(
          .fileMode, .error, about: path,
          "Other users can use the site's key \(path), by which passwords can be found by trying.",
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
        return Finding(.fileMode, .note, about: path, "Other users' rights are unknown: \(path) is no file.")
      case (.siteKey, _):
        return Finding(.fileMode, .ok, about: path, "The site's key \(path) is for this user alone.")
      }
    }
  }
}
