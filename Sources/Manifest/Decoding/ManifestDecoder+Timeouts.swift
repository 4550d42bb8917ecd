import Model
import Source
import YAML

/// A stage's timeout with its place.
struct WrittenTimeout {
  let duration: Duration
  let keyRange: SourceRange
  let range: SourceRange
}

extension ManifestDecoder {
  /// Decodes stage timeouts.
  /// - Parameter kind: The kind of the room; nil in a scope.
  mutating func timeouts(_ node: YAMLNode, of kind: RoomKind? = nil) -> [Stage: WrittenTimeout] {
    guard let fields = fields(of: node, "`timeouts`", known: Vocabulary.stages) else { return [:] }
    var result: [Stage: WrittenTimeout] = [:]
    for stage in Stage.allCases {
      guard let entry = fields.entry(stage.rawValue) else { continue }
      if let kind, !kind.stages.contains(stage) {
        error(
          .unsupportedKey, "\(kind.words) has no stage `\(stage.rawValue)`", at: entry.keyRange,
          advice: "its stages: \(kind.stages.map(\.rawValue).listed)")
      } else if let duration = timeout(entry.value, of: stage) {
        result[stage] = WrittenTimeout(
          duration: duration, keyRange: entry.keyRange, range: entry.value.range)
      }
    }
    return result
  }

  private mutating func timeout(_ node: YAMLNode, of stage: Stage) -> Duration? {
    guard let duration = duration(node, stage.rawValue) else { return nil }
    guard duration > .zero, duration <= ManifestLimits.longestTimeout else {
      return refused(.outOfRange, "`\(stage.rawValue)` must be above 0 and at most 60m", at: node.range)
    }
    return duration
  }

  /// The timeouts of a room: those that its settings require, replaced by those of the manifest.
  mutating func timeouts(
    of profile: DeviceFamily, with settings: [SettingName: SettingValue],
    _ written: [Stage: WrittenTimeout]
  ) -> StageTimeouts {
    let usual = profile.timeouts(for: [:])
    let needed = profile.timeouts(for: settings)
    var timeouts = needed
    for stage in profile.stages {
      guard let own = written[stage] else { continue }
      timeouts[stage] = own.duration
      // Under `defaults` a timeout may be too short for many rooms; it is reported once.
      if needed[stage] > usual[stage], own.duration < needed[stage], tooShort.insert(own.range).inserted {
        warning(
          .timeoutTooShort,
          "`\(stage.rawValue)` is \(own.duration.written), and with its interval this device may take up to "
            + needed[stage].written,
          at: own.range, advice: "leave it out: the timeout then follows from the interval")
      }
    }
    return timeouts
  }
}
