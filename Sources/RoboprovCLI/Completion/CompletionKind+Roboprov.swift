import Application
import ArgumentParser
import FoundationEssentials
import Host
import Journal
import Manifest
import Model
import YAML

extension CompletionKind {
  /// Manifests and scenarios.
  static let yaml = CompletionKind.file(extensions: ["yaml", "yml"])
  /// A room of the manifest or building on the command line.
  static let room = candidates { line in
    if let building = line.manifest {
      let rooms = building.rooms.map { CompletionCandidates.Room(id: $0.id.rawValue, name: $0.name) }
      return CompletionCandidates.rooms(rooms, beginningWith: line.prefix)
    }
    return CompletionCandidates.rooms(line.recordedRooms, beginningWith: line.prefix)
  }
  /// A room, floor or tag.
  static let rooms = candidates { line in
    line.manifest.map { CompletionCandidates.selectors(of: $0, beginningWith: line.prefix) } ?? []
  }
  /// A manifest, or a building's id.
  static let building = candidates { line in
    line.buildings.filter { $0.hasPrefix(line.prefix) }
      + line.paths { $0.hasSuffix(".yaml") || $0.hasSuffix(".yml") }
  }

  private static func candidates(_ make: @escaping @Sendable (LineToComplete) -> [String]) -> CompletionKind {
    .custom { words, index, prefix in
      make(LineToComplete(words, index, prefix)).compactMap {
        ShellWord.candidate($0, for: CompletionShell.requesting)
      }
    }
  }
}

/// A command line with the word to complete. Nothing is printed about unreadable files.
private struct LineToComplete {
  /// The word up to the cursor.
  let prefix: String
  /// The other words.
  private let others: [String]
  private let reports: String

  init(_ words: [String], _ index: Int, _ prefix: String) {
    let texts = words.map(ShellWord.text)
    self.prefix = ShellWord.text(of: prefix)
    let others = texts.indices.filter { $0 != index && $0 > 0 }.map { texts[$0] }
    self.others = others
    let place = others.firstIndex(of: "--reports").map { $0 + 1 }
    let named = place.flatMap { others.indices.contains($0) ? others[$0] : nil }
    reports = named ?? Preferences.current.reports
  }

  /// The first manifest among the words, if it can be applied.
  var manifest: Building? {
    for word in others where word.hasSuffix(".yaml") || word.hasSuffix(".yml") {
      let path = Self.expanded(word)
      guard let bytes = InputFile.recorded(path, atMost: YAMLParser.maximumBytes) else { continue }
      if let building = ManifestReader.read(
        bytes, file: path, families: BuiltIn.families, files: .beside(path), labelsFollow: true
      ).building {
        return building
      }
    }
    return nil
  }

  /// The rooms in the report of the first building among the words.
  var recordedRooms: [CompletionCandidates.Room] {
    struct Report: Decodable {
      var rooms: [CompletionCandidates.Room]
    }
    let known = Set(buildings)
    guard let building = others.first(where: known.contains),
      let bytes = BuildingDirectory.readBytes("building.json", of: building, in: reports)
    else { return [] }
    return (try? JSONDecoder().decode(Report.self, from: Data(bytes)))?.rooms ?? []
  }

  /// The ids of the buildings in the reports directory.
  var buildings: [String] {
    let place = Self.expanded(reports)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
    return names.filter { name in
      FileManager.default.fileExists(atPath: "\(place)/\(name)/building.json")
    }.sorted()
  }

  /// Directories, and the wanted files, that begin with the word.
  func paths(_ isWanted: (String) -> Bool) -> [String] {
    let folder = prefix.lastIndex(of: "/").map { String(prefix[...$0]) } ?? ""
    let names =
      (try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : Self.expanded(folder)))
      ?? []
    return names.sorted().compactMap { name in
      let path = folder + name
      guard path.hasPrefix(prefix), !name.hasPrefix(".") || prefix.hasSuffix("/.") else { return nil }
      var isDirectory: Bool = false
      _ = FileManager.default.fileExists(atPath: Self.expanded(path), isDirectory: &isDirectory)
      // bash adds the slash itself.
      if isDirectory { return CompletionShell.requesting == .bash ? path : path + "/" }
      return isWanted(name) ? path : nil
    }
  }

  private static func expanded(_ path: String) -> String {
    path == "~" || path.hasPrefix("~/") ? HostEnvironment.homeDirectory + path.dropFirst() : path
  }
}
