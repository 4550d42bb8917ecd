import Bluetooth
import Foundation
import Reporting

/// Whether rfkill blocks an adapter. The names are frozen.
enum RadioBlock: String, CaseIterable, Sendable {
  case none
  case software
  case hardware
  case unspecified

  /// What blocks an adapter: what the kernel says, else what follows from the adapter's state; nil where neither tells.
  init?(_ state: Adapter.State, kernel: RadioBlock?) {
    switch (state, kernel) {
    case (_, let kernel?): self = kernel
    case (.ready, nil): self = .none
    case (.blocked, nil): self = .unspecified
    case (.poweredOff, nil): return nil
    }
  }

  /// For a table.
  var words: String {
    switch self {
    case .none: "no"
    case .software: "by software"
    case .hardware: "by a switch"
    case .unspecified: "yes"
    }
  }
}

extension RadioBlock: OutputNames {
  static let definition = "radio_block"
  static let about = "Whether rfkill blocks an adapter."
  var documentation: String {
    switch self {
    case .none: "It is not blocked."
    case .software: "By software: `rfkill unblock bluetooth` ends it."
    case .hardware: "By a switch or a key of the computer."
    case .unspecified: "It is blocked; by what is not known."
    }
  }
}

extension ControllerFiles {
  /// What the kernel says of an adapter's block: `rfkill<N>/soft` and `rfkill<N>/hard` in its folder (rfkill.rst of the kernel's
  /// documentation); nil where it says nothing.
  func block(of name: String) -> RadioBlock? {
    let place = "\(folder)/\(name)"
    guard !name.contains("/"), let entries = try? FileManager.default.contentsOfDirectory(atPath: place),
      let entry = entries.filter({ $0.hasPrefix("rfkill") }).sorted().first
    else { return nil }
    func flag(_ name: String) -> Bool? {
      guard let data = FileManager.default.contents(atPath: "\(place)/\(entry)/\(name)") else { return nil }
      switch String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines) {
      case "0": return false
      case "1": return true
      default: return nil
      }
    }
    guard let soft = flag("soft"), let hard = flag("hard") else { return nil }
    return hard ? .hardware : soft ? .software : RadioBlock.none
  }

  /// The names of the adapters that the kernel has: `hci0`.
  var names: [String] {
    let entries = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    // A link of an adapter is `hci0:256`.
    return entries.filter { $0.hasPrefix("hci") && !$0.contains(":") }.sorted()
  }
}
