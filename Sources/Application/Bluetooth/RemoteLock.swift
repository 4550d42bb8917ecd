import BlueZ
import Bluetooth
import EventLoop
import FoundationEssentials
import Glibc
import Host
import Journal
import Model
import Synchronization
import Waiting

/// A lock of an adapter on its own host, for runs on that host and for those of other laptops. A shell there holds it, and
/// ends with this process, or a minute after the network is lost.
final class RemoteLock: Sendable {
  enum Refusal: Error, Sendable {
    /// Another run holds it; nil if the file does not name it.
    case held(by: LockHolder?)
    /// Why it cannot be taken.
    case unusable(String)
  }

  /// How long the host may take: as long as for a connection to its bus.
  private static let limit = ReconnectingCentral.Policy.remoteLimit
  /// The shell ends after this time without a line from this process.
  static let silence = Duration.seconds(60)
  /// How often this process sends a line.
  static let interval = silence / 6

  /// A flag that threads share.
  private final class Mark: Sendable {
    private let state = Mutex(false)
    var isSet: Bool { state.withLock(\.self) }
    func set() { state.withLock { $0 = true } }
  }

  private let isReleased = Mark()
  private let hasEnded = Mark()

  /// Whether it may still be held.
  var isHeld: Bool { !hasEnded.isSet }

  deinit { isReleased.set() }

  /// The command that locks an adapter on its host.
  static func command(_ address: String, _ holder: LockHolder) -> String {
    let line = String(decoding: holder.line.dropLast(), as: UTF8.self)
    let program = String(decoding: PackageResources.lock_sh, as: UTF8.self)
    return RemoteHosts.command("bash", program, [line, address, "\(silence.components.seconds)"])
  }

  /// Locks an adapter, without waiting for another run.
  static func take(
    _ adapter: AdapterID, on host: HostDescription, for holder: LockHolder
  ) async throws(Refusal) -> RemoteLock {
    let address = adapter.address.description.replacing(":", with: "")
    return try await take(by: RemoteHosts.ssh(host, command(address, holder)))
  }

  /// Starts a program that takes the lock, and reads what it says.
  static func take(
    by words: [String], interval: Duration = RemoteLock.interval
  ) async throws(Refusal) -> RemoteLock {
    // The thread below must not keep the lock.
    let (lock, answer) = (RemoteLock(), OneShot<Result<Void, Refusal>>())
    let (isReleased, hasEnded) = (lock.isReleased, lock.hasEnded)
    // The child ends with the thread that started it.
    onThreadOfItsOwn {
      let ending = hold(words, interval, until: isReleased) { text in
        let lines = text.split(separator: "\n", maxSplits: 1)
        if lines.first == "taken" { return answer.fulfill(.success(())) }
        if lines.first == "held", lines.count == 2, let other = LockHolder(line: Array(lines[1].utf8)) {
          answer.fulfill(.failure(.held(by: other)))
        }
        return false
      }
      hasEnded.set()
      answer.fulfill(.failure(ending.hasPrefix("held") ? .held(by: nil) : .unusable(ending)))
    }
    let result = await answer.value()
    if case .failure(let refusal)? = result { throw refusal }
    guard result != nil else { throw .unusable("the command was interrupted") }
    return lock
  }

  /// Runs the program until `end` is set, and passes what it writes to `receive` until that returns true.
  /// - Returns: What it wrote, or why it did not start.
  private static func hold(
    _ words: [String], _ interval: Duration, until end: Mark, _ receive: (String) -> Bool
  ) -> String {
    do throws(POSIXError) {
      let (input, output, errors) = (try ProcessPipe(), try ProcessPipe(), try ProcessPipe())
      defer { for pipe in [input, output, errors] { pipe.close() } }
      let child = try ChildProcess(
        words, input: input.reading, output: output.writing, errors: errors.writing)
      output.closeWriting()
      errors.closeWriting()
      let limit = Deadline(after: Self.limit)
      var (bytes, errorBytes, isTaken) = ([UInt8](), [UInt8](), false)
      var next = Deadline(after: interval)
      while !end.isSet, !child.hasEnded, isTaken || !limit.hasPassed {
        _ = output.read(into: &bytes, atMost: 4096)
        _ = errors.read(into: &errorBytes, atMost: 4096)
        if !isTaken { isTaken = receive(String(decoding: bytes, as: UTF8.self)) }
        if next.hasPassed {
          _ = "\n".withCString { write(input.writing, $0, 1) }
          next = Deadline(after: interval)
        }
        ProcessPipe.wait(for: [])
      }
      if child.hasEnded {
        _ = output.read(into: &bytes, atMost: 4096)
        _ = errors.read(into: &errorBytes, atMost: 4096)
        _ = receive(String(decoding: bytes, as: UTF8.self))
      }
      input.closeWriting()
      child.stop()
      let said = String(decoding: bytes + errorBytes, as: UTF8.self).trimmed
      return said.isEmpty ? "no answer" : said
    } catch {
      return error.text
    }
  }
}
