import Model
import Glibc

/// The mark of the newest run of a building whose reports are complete: `latest`, a symbolic link to the
/// run's directory. On a file system without links (FAT, as on most USB sticks) it is a text file with the
/// run's id. It is replaced atomically, whichever of the two is there.
enum LatestMark {
  /// The mark's name in the building's directory.
  static let name = "latest"

  /// Points the mark to a run.
  /// - Parameter link: Another way than the file system's to make a link, for tests.
  /// - Throws: the first failure; the mark is then unchanged.
  static func place(
    _ run: String, in building: File, by link: File.MakingLink = { symlinkat($0, $1, $2) }
  ) throws(JournalError) {
    let temporary = temporary(run)
    try building.replace(name, through: temporary) { () throws(JournalError) in
      try make(temporary, for: run, in: building, by: link)
    }
    try building.sync()
  }

  /// The run that the mark names; nil without a mark, or when the entry `latest` is something else.
  static func run(in building: File) throws(JournalError) -> String? {
    if let target = building.target(of: name) { return target }
    guard building.kind(of: name) == S_IFREG else { return nil }
    let text = String(decoding: try building.reading(name).beginning(256), as: UTF8.self)
    guard text.last == "\n", String(text.dropLast()).isFileName else { return nil }
    return String(text.dropLast())
  }

  /// Tests whether the mark can be placed, and removes what the test creates.
  static func prove(
    for run: String, in building: File, by link: File.MakingLink = { symlinkat($0, $1, $2) }
  ) throws(JournalError) {
    let probe = temporary(run)
    // A process that was killed while it copied this run here may have left one.
    building.remove(probe)
    try make(probe, for: run, in: building, by: link)
    building.remove(probe)
    switch building.kind(of: name) {
    case nil, S_IFLNK: return
    case S_IFREG:
      // A mark that was copied from a USB stick, or a file of the user.
      if try self.run(in: building) != nil { return }
    default: break
    }
    throw JournalError(.link, building.path + "/" + name, .inTheWay)
  }

  private static func make(
    _ name: String, for run: String, in building: File, by link: File.MakingLink
  ) throws(JournalError) {
    if try building.link(name, to: run, by: link) { return }
    try building.create(name, with: Array((run + "\n").utf8), synced: true)
  }

  private static func temporary(_ run: String) -> String { ".\(name).\(run)" }
}
