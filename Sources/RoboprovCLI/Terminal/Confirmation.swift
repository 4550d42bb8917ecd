@preconcurrency import Dispatch
import Foundation
import Provisioning
import Reporting
import Synchronization

/// Asks the person at the terminal whether rooms may get the devices that were found for them.
enum Confirmation {
  /// Shows the list and asks; anything but a clear yes is no. A cancelled task gets no as well.
  static func ask(_ proposals: [ProposedBinding]) async -> Bool {
    Console.say(list(proposals))
    Console.write("Give these rooms these sensors? Label them afterwards. [y/N] ", to: .standardError)
    let answer = await line().lowercased()
    return answer == "y" || answer == "yes"
  }

  /// The proposals as a table: room, minor, sensor.
  static func list(_ proposals: [ProposedBinding]) -> String {
    Table.text(
      header: ["ROOM", "MINOR", "SENSOR", "RSSI"],
      rows: proposals.map { proposal in
        [
          proposal.room.name.visible, proposal.room.minor.map { "\($0)" } ?? "", "\(proposal.address)",
          proposal.rssi.map { "\($0) dBm" } ?? "",
        ]
      })
  }

  /// A line from stdin, without blocking any of Swift's threads; empty at its end, or when cancelled.
  private static func line() async -> String {
    let answer = OneAnswer()
    let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .global())
    source.setEventHandler { @Sendable in answer.give(readLine() ?? "") }
    return await withTaskCancellationHandler {
      defer { source.cancel() }
      source.resume()
      return await answer.value()
    } onCancel: {
      answer.give("")
    }
  }
}

/// The first answer given counts.
private final class OneAnswer: Sendable {
  private enum State {
    case open
    case awaited(CheckedContinuation<String, Never>)
    case given(String)
  }

  private let state = Mutex(State.open)

  func give(_ text: String) {
    let waiter = state.withLock { state -> CheckedContinuation<String, Never>? in
      switch state {
      case .open:
        state = .given(text)
        return nil
      case .awaited(let waiter):
        state = .given(text)
        return waiter
      case .given:
        return nil
      }
    }
    waiter?.resume(returning: text)
  }

  func value() async -> String {
    await withCheckedContinuation { continuation in
      let given = state.withLock { state -> String? in
        if case .given(let text) = state { return text }
        state = .awaited(continuation)
        return nil
      }
      if let given { continuation.resume(returning: given) }
    }
  }
}
