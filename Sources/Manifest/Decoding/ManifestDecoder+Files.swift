import CSV
import Source
import YAML

extension ManifestDecoder {
  /// Adds the networks of included files. Networks of the manifest are not replaced.
  mutating func include(_ node: YAMLNode, into networks: inout [String: Network]) {
    let nodes = node.items ?? [node]
    for node in nodes {
      guard let source = file(node, "include", atMost: YAMLParser.maximumBytes) else { continue }
      guard let document = document(source) else { continue }
      guard let root = document.root else { continue }
      guard
        let fields = fields(
          of: root, "an included file", known: ["wifi"],
          elsewhere: { key in
            Vocabulary.building.contains(key)
              ? (.includedKey, "an included file takes no `\(key)`", "put it into the manifest") : nil
          })
      else { continue }
      guard
        let wifi = required(
          "wifi", in: fields, "an included file without `wifi`", advice: "it describes networks")
      else { continue }
      for (name, network) in self.networks(wifi).sorted(by: { $0.key < $1.key }) {
        guard let first = networks[name] else {
          networks[name] = network
          continue
        }
        error(
          .duplicateNetwork, "a network of this name is described already", at: network.keyRange,
          notes: [.init("the first of that name", at: first.keyRange)], advice: "rename one of them")
      }
    }
  }

  /// Parses a document; nil, with an error, when it cannot be read to its end.
  mutating func document(_ source: SourceText) -> YAMLDocument? {
    do throws(YAMLError) {
      let document = try YAMLParser.read(source)
      for problem in document.problems { findings.append(Diagnostic(problem)) }
      let isWhole = !document.problems.contains { $0.problem == .keyIsNotText }
      texts.set(document.root, isWhole: isWhole, of: source.number)
      return document
    } catch {
      findings.append(Diagnostic(error, in: source, vocabulary))
      return nil
    }
  }

  /// Reads the file at a path of the manifest; nil, with an error, when it cannot be read.
  mutating func file(_ node: YAMLNode, _ key: String, atMost maximumBytes: Int) -> SourceText? {
    guard let path = text(node, key) else { return nil }
    guard texts.texts.count <= TextCollection.maximumFiles else {
      return refused(
        .documentTooLarge, "more than \(TextCollection.maximumFiles) files are named", at: node.range,
        advice: "join some of them")
    }
    switch texts.files?.read(path, maximumBytes) {
    case .success(let file):
      return texts.add(file.bytes, name: file.name, isTable: key == "rooms_from")
    case .failure(.missing):
      error(
        .fileUnreadable, "there is no such file", at: node.range,
        advice: "its path is relative to the manifest")
    case .failure(.tooLarge):
      error(
        .fileTooLarge, "the file has more than \(maximumBytes >> 20) MiB", at: node.range,
        advice: "is it the right file?")
    case .failure(.unreadable(let words)):
      error(.fileUnreadable, "the file cannot be read: \(words)", at: node.range)
    case nil:
      error(
        .fileUnreadable, "a manifest from a pipe cannot name other files", at: node.range,
        advice: "save it to a file")
    }
    return nil
  }
}
