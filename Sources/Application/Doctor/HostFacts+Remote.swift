import EventLoop
import FoundationEssentials
import Host
import Model
import Waiting

/// The facts that another host sends through ssh.
extension HostFacts {
  /// How long a host may take.
  private static let limit = Duration.seconds(20)
  /// The maximum length of an answer in bytes.
  private static let mostBytes = 1 << 20

  /// The command that prints the facts.
  /// - Parameter root: A folder in place of `/`.
  static func command(below root: String = "") -> String {
    let program = String(decoding: PackageResources.facts_sh, as: UTF8.self)
    return RemoteHosts.command("sh", program, [root, MainConfiguration.path, ControllerFiles.folder])
  }

  /// Asks a host.
  static func ask(_ host: HostDescription) async -> HostFacts {
    let answer = OneShot<HostFacts>()
    // The child ends with the thread that started it.
    onThreadOfItsOwn {
      let before = HostClocks.now().wall
      let outcome = try? ChildProcess.run(RemoteHosts.ssh(host, command()), within: limit, atMost: mostBytes)
      let after = HostClocks.now().wall
      if let outcome, outcome.ending == .exited(0) {
        answer.fulfill(HostFacts(outcome.output, from: before, to: after))
      } else {
        answer.fulfill(HostFacts(unknown: "ssh did not run a command there"))
      }
    }
    return await answer.value() ?? HostFacts(unknown: "the command was interrupted")
  }

  private init(unknown why: String) {
    self.init(
      kernel: .unknown(why), isClockSynchronised: .unknown(why), load: .unknown(why), bluetooth: .unknown(why)
    )
  }

  /// Reads an answer. Other lines, such as a greeting of the shell, are ignored.
  /// - Parameters:
  ///   - before: The time of day here when the host was asked.
  ///   - after: The same when it had answered.
  init(_ answer: [UInt8], from before: Duration, to after: Duration) {
    self.init(unknown: "timedatectl does not say it")
    var entries: [String: FileTree.Entry] = [:]
    for line in String(decoding: answer, as: UTF8.self).split(whereSeparator: \.isNewline) {
      let words = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
      guard words.count >= 2 else { continue }
      let (path, rest) = (words[1], words.count > 2 ? words[2] : "")
      switch words[0] {
      case "t": clockAhead = Self.difference(words[1], from: before, to: after)
      case "s" where path == "yes" || path == "no": isClockSynchronised = .known(path == "yes")
      case "l": entries[path, default: .init()].target = rest
      case "d": entries[path, default: .init()].isReadable = true
      case "u": entries[path, default: .init()].isReadable = false
      case "f": entries[path, default: .init()].content = Data(base64Encoded: rest).map { Array($0) }
      default: continue
      }
    }
    let files = HostFiles(tree: .sent(entries))
    kernel = files.kernel
    bluetooth = .known(files.bluetooth)
  }

  private static func difference(_ text: String, from before: Duration, to after: Duration) -> Duration? {
    guard let seconds = Double(text, in: -1e12...1e12) else { return nil }
    let there = Duration.seconds(seconds)
    return there < before ? there - before : there > after ? there - after : nil
  }
}
