package worker

import (
	"context"

	"entrepot/internal/importer/fileimport"
	"entrepot/internal/jobs"
)

// filesAtOnce is how many jobs that read files a node runs at once: each keeps a core busy for a while.
const filesAtOnce = 2

// fileJobs runs jobs that import files. Short jobs have workers of their own and do not wait for files.
func (w *Worker) fileJobs() {
	runner := &fileimport.Runner{Store: w.DB, Commerce: w.Commerce}
	w.runSome(filesAtOnce, func() (jobs.Job, bool, error) { return w.claimOne(jobs.NextDueOfFile, jobs.ClaimOfFile) }, func(job jobs.Job) {
		w.runHeld(job, func(ctx context.Context) error { return runner.Run(ctx, job, w.JobLease) })
	})
}
