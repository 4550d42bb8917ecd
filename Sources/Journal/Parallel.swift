@preconcurrency import Dispatch
import EventLoop

package enum Parallel {
  /// Transforms the inputs on all cores, in virtual time on the loop's thread, and returns the results in the order
  /// of the inputs.
  /// - Throws: the first error in the order of the inputs.
  package static func map<Input: Sendable, Output: Sendable, Failure: Error>(
    _ inputs: [Input], _ transform: @Sendable (Input) throws(Failure) -> Output
  ) throws(Failure) -> [Output] {
    if LoopExecutor.current?.isVirtual == true { return try inputs.map(transform) }
    let results = Lock([Result<Output, Failure>?](repeating: nil, count: inputs.count))
    withoutActuallyEscaping(transform) { transform in
      DispatchQueue.concurrentPerform(iterations: inputs.count) { index in
        let result = Result { () throws(Failure) in try transform(inputs[index]) }
        results.withLock { $0[index] = result }
      }
    }
    var outputs: [Output] = []
    for result in results.withLock({ $0 }) {
      guard let result else { preconditionFailure("an input has no result") }
      outputs.append(try result.get())
    }
    return outputs
  }
}
