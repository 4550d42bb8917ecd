import Bluetooth
import EventLoop
import FoundationEssentials
import Model
import Waiting

/// The facts that another host has sent through ssh, for `doctor`.
struct RemoteAnswer: Sendable, Hashable {
  var facts: HostFacts
  /// How far its clock is ahead of this computer's at least, negative if it is behind; nil if the answer took longer than
  /// the difference.
  var clockDifference: Duration?

  init(facts: HostFacts, clockDifference: Duration? = nil) {
    (self.facts, self.clockDifference) = (facts, clockDifference)
  }

  /// How long a host may take.
  private static let limit = Duration.seconds(20)
  /// The maximum length of an answer in bytes.
  private static let mostBytes = 1 << 20

  /// Prints the time, whether a time server sets it, and the files that `HostFiles` reads. Sizes of files in /proc and /sys
  /// are not those of their contents, so no archiver can be used. It has no single quote, because it stands between two of
  /// them.
  /// - Parameter root: A folder in place of `/`.
  static func script(below root: String = "") -> String {
    """
    R="\(root)"; r() { for p; do q=${p#"$R"}; if [ -h "$p" ]; then echo "l $q $(readlink "$p")"; fi; \
    if [ ! -r "$p" ]; then [ -e "$p" ] && echo "u $q"; elif [ -d "$p" ]; then echo "d $q"; \
    elif [ -f "$p" ]; then echo "f $q $(head -c 20000 "$p" | base64 -w 0)"; fi; done; }; \
    echo "t $(date +%s.%N)"; echo "s $(timedatectl show -p NTPSynchronized --value)"; \
    r "$R/proc" "$R/proc/sys/kernel/osrelease" "$R\(MainConfiguration.path)" \
    "$R/var/lib/bluetooth" "$R"/var/lib/bluetooth/* "$R"/var/lib/bluetooth/*/*; \
    for u in etc/systemd lib/systemd usr/lib/systemd; do u=$R/$u/system/bluetooth.service; \
    r "$u" "$u.d" "$u.d"/*.conf; done; \
    for p in "$R"/proc/[0-9]*; do read -r c <"$p/comm" && [ "$c" = bluetoothd ] && r "$p" "$p/comm" "$p/cmdline"; done; \
    r "$R\(ControllerFiles.folder)"; for a in "$R\(ControllerFiles.folder)"/*; do n=${a##*/}; d=$a/device; \
    r "$a" "$d" "$d/subsystem" "$d/driver" "$d/../idVendor" "$d/../idProduct" "$d/../manufacturer" "$d/../product" \
    "$a"/rfkill*/soft "$a"/rfkill*/hard "$R/sys/kernel/debug/bluetooth/$n/supervision_timeout"; done; \
    r "$R/sys/class/net"; for n in "$R"/sys/class/net/*; do \
    r "$n" "$n/wireless" "$n/phy80211" "$n/device/driver" "$n/operstate"; done; true
    """
  }

  /// Asks a host.
  static func ask(_ host: HostDescription) async -> RemoteAnswer {
    let answer = OneShot<RemoteAnswer>()
    // The child ends with the thread that started it.
    onThreadOfItsOwn {
      let before = HostClocks.now().wall
      let outcome = Result { () throws(POSIXError) in
        try ChildProcess.run(
          RemoteHosts.ssh(host, "exec sh -c '\(script())' 2>/dev/null"), within: limit, atMost: mostBytes)
      }
      answer.fulfill(RemoteAnswer(outcome, from: before, to: HostClocks.now().wall))
    }
    return await answer.value() ?? RemoteAnswer(unknown: "the command was interrupted")
  }

  private init(
    _ outcome: Result<ChildProcess.Outcome, POSIXError>, from before: Duration, to after: Duration
  ) {
    guard case .success(let outcome) = outcome, outcome.ending == .exited(0) else {
      self.init(unknown: "ssh did not run a command there")
      return
    }
    self.init(outcome.output, from: before, to: after)
  }

  private init(unknown why: String) {
    self.init(
      facts: HostFacts(
        kernel: .unknown(why), isClockSynchronised: .unknown(why), bluetooth: .unknown(why), files: []))
  }

  /// Reads an answer. Other lines, such as a greeting of the shell, are ignored.
  /// - Parameters:
  ///   - before: The time of day here when the host was asked.
  ///   - after: The same when it had answered.
  init(_ bytes: [UInt8], from before: Duration, to after: Duration) {
    var entries: [String: FileTree.Entry] = [:]
    var isSynchronised = HostFact<Bool>.unknown("timedatectl does not say it")
    for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
      let words = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
      guard words.count >= 2 else { continue }
      let (path, rest) = (words[1], words.count > 2 ? words[2] : "")
      switch words[0] {
      case "t": clockDifference = Self.difference(words[1], from: before, to: after)
      case "s" where path == "yes" || path == "no": isSynchronised = .known(path == "yes")
      case "l": entries[path, default: .init()].target = rest
      case "d": entries[path, default: .init()].isReadable = true
      case "u": entries[path, default: .init()].isReadable = false
      case "f": entries[path, default: .init()].content = Data(base64Encoded: rest).map { Array($0) }
      default: continue
      }
    }
    let files = HostFiles(tree: .sent(entries))
    facts = HostFacts(
      kernel: files.kernel, isClockSynchronised: isSynchronised, bluetooth: .known(files.bluetooth), files: []
    )
  }

  private static func difference(_ text: String, from before: Duration, to after: Duration) -> Duration? {
    guard let seconds = Double(text, in: -1e12...1e12) else { return nil }
    let there = Duration.seconds(seconds)
    return there < before ? there - before : there > after ? there - after : nil
  }
}
