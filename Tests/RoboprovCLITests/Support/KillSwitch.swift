import Foundation
import Model

/// The place at which `Tests/KillSwitch`, preloaded into a program, kills it.
enum KillSwitch {
  /// An instant in the writing of a journal line.
  enum Point: String, CaseIterable {
    case beforeWrite = "before_write"
    case amidWrite = "amid_write"
    case afterWrite = "after_write"
    case afterSync = "after_sync"
  }

  /// The library that is built with these tests, in the same directory.
  static let library = Invocation.program.deletingLastPathComponent().appending(path: "libKillSwitch.so")

  /// The environment in which a program dies at a line of its journal.
  static func at(_ kind: Fact.Kind, _ number: Int, _ point: Point) -> [String: String] {
    environment("line \(kind.rawValue) \(number) \(point.rawValue)")
  }

  /// The environment in which a program dies instead of its nth file operation outside journals.
  static func at(call number: Int) -> [String: String] { environment("call \(number)") }

  private static func environment(_ order: String) -> [String: String] {
    ["LD_PRELOAD": library.path, "KILL_SWITCH": order]
  }
}
