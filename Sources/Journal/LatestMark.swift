import Model
import Glibc

/// The mark of the newest run of a building whose reports are complete: `latest`, a symbolic link to the
/// run's directory. On a file system without links (FAT, as on most USB sticks) it is a text file with the
/// run's id. It is replaced atomically, whichever of the two is there.
enum LatestMark {
  /// The mark's name in the building's directory.
  static let name = "latest"

  /// Points the mark to a run.
  /// - Throws: the first failure; the mark is then unchanged.
  static func place(_ run: String, in building: File) throws(JournalError) {
    try replace(run, in: building) { (temporary) throws(JournalError) in
      if try building.link(temporary, to: run) { return }
      try write(run, to: temporary, in: building)
    }
  }

  /// As `place`, but always writes a text file.
  static func placeText(_ run: String, in building: File) throws(JournalError) {
    try replace(run, in: building) { (temporary) throws(JournalError) in
      try write(run, to: temporary, in: building)
    }
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
  static func prove(for run: String, in building: File) throws(JournalError) {
    let probe = temporary(run)
    building.remove(probe)
    if try !building.link(probe, to: run) { try write(run, to: probe, in: building) }
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

  private static func replace(
    _ run: String, in building: File, _ make: (_ temporary: String) throws(JournalError) -> Void
  ) throws(JournalError) {
    let temporary = temporary(run)
    building.remove(temporary)
    do throws(JournalError) {
      try make(temporary)
      try building.rename(temporary, to: name)
    } catch {
      building.remove(temporary)
      throw error
    }
    try building.sync()
  }

  private static func write(_ run: String, to name: String, in building: File) throws(JournalError) {
    let file = try building.create(name)
    try file.write(Array((run + "\n").utf8))
    try file.sync()
  }

  private static func temporary(_ run: String) -> String { ".\(name).\(run)" }
}
