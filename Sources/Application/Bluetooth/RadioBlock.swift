import Bluetooth
import FoundationEssentials
import Reporting

/// Whether rfkill blocks an adapter. The raw values are frozen.
package enum RadioBlock: String, CaseIterable, Sendable {
  case none
  case software
  case hardware
  case unspecified

  /// The block of an adapter, by the kernel, otherwise by the adapter's state; nil if neither shows it.
  init?(_ state: Adapter.State, kernel: RadioBlock?) {
    switch (state, kernel) {
    case (_, let kernel?): self = kernel
    case (.ready, nil): self = .none
    case (.blocked, nil): self = .unspecified
    case (.poweredOff, nil): return nil
    }
  }

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
    case .unspecified: "It is blocked by an unknown cause."
    }
  }
}

extension ControllerFiles {
  /// The kernel's state of the block: `rfkill<N>/soft` and `rfkill<N>/hard` in the adapter's folder
  /// (rfkill.rst in the kernel's documentation); nil without these files.
  func block(of name: String) -> RadioBlock? {
    let place = "\(folder)/\(name)"
    guard !name.contains("/"), let entries = try? FileManager.default.contentsOfDirectory(atPath: place),
      let entry = entries.filter({ $0.hasPrefix("rfkill") }).sorted().first
    else { return nil }
    func flag(_ name: String) -> Bool? {
      guard let data = FileManager.default.contents(atPath: "\(place)/\(entry)/\(name)") else { return nil }
      switch String(decoding: data, as: UTF8.self).trimmed {
      case "0": return false
      case "1": return true
      default: return nil
      }
    }
    guard let soft = flag("soft"), let hard = flag("hard") else { return nil }
    return hard ? .hardware : soft ? .software : RadioBlock.none
  }

  /// The names of the kernel's adapters: `hci0`.
  var names: [String] {
    let entries = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    // `hci0:256` is a link of an adapter.
    return entries.filter { $0.hasPrefix("hci") && !$0.contains(":") }.sorted()
  }
}
