import Glibc

/// What leads to a building's newest run whose reports are whole: `latest`, a symbolic link to its directory. A
/// file system without those (FAT, on most USB sticks) gets a text of that name instead, with the run's id in it.
/// Either is moved in one step, and an older one of either sort is replaced.
enum LatestMark {
  /// Its name in the building's directory.
  static let name = "latest"

  /// Has it lead to a run.
  /// - Throws: what stands in the way; it then leads where it did.
  static func place(_ run: String, in building: File) throws(JournalError) {
    try replace(run, in: building) { (temporary) throws(JournalError) in
      if try building.link(temporary, to: run) { return }
      try write(run, to: temporary, in: building)
    }
  }

  /// The same as on a file system without links.
  static func placeText(_ run: String, in building: File) throws(JournalError) {
    try replace(run, in: building) { (temporary) throws(JournalError) in
      try write(run, to: temporary, in: building)
    }
  }

  /// The run that it leads to; nil when there is none, or something else by its name.
  static func run(in building: File) throws(JournalError) -> String? {
    if let target = building.target(of: name) { return target }
    guard building.kind(of: name) == S_IFREG else { return nil }
    let text = String(decoding: try building.reading(name).beginning(256), as: UTF8.self)
    guard text.last == "\n", RunDirectory.isSafeName(String(text.dropLast())) else { return nil }
    return String(text.dropLast())
  }

  /// Finds out whether it can be placed, leaving no trace.
  static func prove(for run: String, in building: File) throws(JournalError) {
    let probe = temporary(run)
    building.remove(probe)
    if try !building.link(probe, to: run) { try write(run, to: probe, in: building) }
    building.remove(probe)
    switch building.kind(of: name) {
    case nil, S_IFLNK: return
    case S_IFREG:
      // Of ours, copied from a stick, or whatever a person keeps there.
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
