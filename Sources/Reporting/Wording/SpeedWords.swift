import Model

extension RunSpeed {
  /// `33 devices a minute on hci0; 41 possible with the same sessions; 12 s went into failed attempts.`
  package var sentence: String {
    let place =
      adapters.count > 2 ? "\(adapters.count) adapters" : adapters.joined(separator: " and ").visible
    var parts = ["\(Self.rounded(perMinute)) devices a minute on \(place)"]
    if let possible = possiblePerMinute.map(Self.rounded), possible != Self.rounded(perMinute) {
      parts.append("\(possible) possible with the same sessions")
    }
    let each = adapters.count > 1 ? " of each adapter" : ""
    parts.append("\(greatest.seconds.rounded().asSeconds)\(each) went into \(greatest.cost.words)")
    return parts.joined(separator: "; ") + "."
  }

  /// The change that would have saved most; nil if none would have saved much.
  package var advice: String? {
    guard let saving else { return nil }
    let time = "about \(saving.seconds.rounded().asSeconds)"
    return switch saving.change {
    case .adapter:
      "\(adapters.count == 1 ? "A second" : "Another") adapter in range of the same devices would have saved \(time)."
    case .links: "Adapters that hold \(Self.moreLinks) links at once would have saved \(time)."
    case .nearer:
      "Stand nearer to \(saving.floor.map { "floor \($0.visible)" } ?? "the devices"): failed attempts at weakly received devices took \(time)."
    }
  }

  private static func rounded(_ rate: Double) -> String {
    Decimal.short(rate < 10 ? (rate * 10).rounded() / 10 : rate.rounded()) ?? "?"
  }
}

extension RunSpeed.Cost {
  fileprivate var words: String {
    switch self {
    case .failedAttempts: "failed attempts"
    case .scanning: "scanning"
    case .connecting: "connecting"
    case .links: "waiting for a free link"
    }
  }
}
