import FoundationEssentials
import Host
import Model
import Journal

/// What is in a building's folder beside the files that roboprov writes, by name and place. Rehearsals, `latest`, the
/// lock and hidden files do not count.
struct RecordFiles {
  /// The paths of other files and links, and of folders that are not roboprov's, relative to the folder, sorted.
  private(set) var others: [String] = []

  private let folder: String

  /// Lists the folder of a record.
  /// - Throws: `CommandFailure` if it cannot be read.
  init(_ archive: BuildingArchive, _ signed: [SignedState], in folder: String) throws {
    self.folder = folder
    var names = Set(BuildingReports.formats.map(\.name))
    for run in archive.runs {
      names.insert("\(run.id)/\(JournalWriter.fileName)")
      guard run.started.map({ $0.command == .apply }) ?? true else { continue }
      names.formUnion(RunReports.formats.map { "\(run.id)/\($0.name)" })
      let rooms = run.started?.rooms.map(\.room) ?? []
      names.formUnion(rooms.map { "\(run.id)/\(RunDirectory.devices)/\($0).log" })
    }
    // A run that cannot be read, or is of another building, may have reports nevertheless.
    for fault in archive.faults where !archive.runs.contains(where: { $0.id == fault.run }) {
      names.insert("\(fault.run)/\(JournalWriter.fileName)")
      names.formUnion(RunReports.formats.map { "\(fault.run)/\($0.name)" })
    }
    for state in signed { names.formUnion(state.copies.map { "\(SignedFolders.name)/\(state.name)/\($0)" }) }
    var folders: Set<String> = []
    for name in names {
      let parts = name.split(separator: "/")
      for count in 1..<parts.count { folders.insert(parts.prefix(count).joined(separator: "/")) }
    }
    for run in archive.runs { folders.formUnion([run.id, "\(run.id)/\(RunDirectory.devices)"]) }
    folders.insert(SignedFolders.name)
    try list("", names, folders)
  }

  private mutating func list(_ path: String, _ names: Set<String>, _ folders: Set<String>) throws {
    let manager = FileManager.default
    do {
      for name in try manager.contentsOfDirectory(atPath: "\(folder)/\(path)").sorted() {
        let file = path.isEmpty ? name : "\(path)/\(name)"
        if name.hasPrefix(".") || [RunDirectory.rehearsals, RunDirectory.latest].contains(file) { continue }
        switch try manager.attributesOfItem(atPath: "\(folder)/\(file)")[.type] as? FileAttributeType {
        case .typeDirectory? where folders.contains(file): try list(file, names, folders)
        case .typeRegular? where names.contains(file): continue
        default: others.append(file)
        }
      }
    } catch let error as CommandFailure {
      throw error
    } catch {
      throw CommandFailure(
        .record, "\("\(folder)/\(path)".visible) cannot be read: \(POSIXError.text(of: error))",
        advice: "Give yourself the right to read it, and run the same command again.")
    }
  }
}
